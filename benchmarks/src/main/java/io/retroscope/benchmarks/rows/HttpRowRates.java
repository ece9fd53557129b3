// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.rows;

import io.retroscope.benchmarks.engine.StalenessLog;
import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.benchmarks.harness.Samples;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.event.Event;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStreamWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A measurement of the rows of {@code SELECT r1} that a log server sends over loopback, in each
 * form of an answer. The rates are per second of the CPU time of all threads of the server's
 * process, with those of Java's compiler and collector, but without the client, which is a process
 * of its own.
 */
public final class HttpRowRates {
  private static final long SEED = 20261122;
  private static final int BATCH = 20_000;
  private static final String QUERY = "SELECT r1 FROM setd;";
  private static final List<String> FORMS =
      List.of("application/x-ndjson", "text/csv", "application/vnd.retroscope.result");

  private final URI server;
  private final int rounds;

  private HttpRowRates(URI server, int rounds) {
    this.server = server;
    this.rounds = rounds;
  }

  /**
   * Takes the number of events in thousands, of rounds, of nodes, and perhaps the class path of the
   * shell, which then is measured too; or {@code read}, an address and a form, for the client's
   * process.
   */
  public static void main(String[] args) throws Exception {
    Arguments given =
        new Arguments(
            args, "thousands of events, rounds, nodes, perhaps the class path of the shell");
    if (given.text(0).equals("read")) {
      System.out.println(read(URI.create(given.text(1)), given.text(2)));
      return;
    }
    int events = 1_000 * given.number(0);
    List<Event> log = new StalenessLog(given.number(2), events, SEED).events();
    try (ScratchFolder scratch = ScratchFolder.create("http-rows");
        LogServer server =
            LogServer.start(ServerConfig.in(scratch.path().resolve("data")).port(0).build())) {
      Path folder = scratch.path();
      HttpRowRates rates = new HttpRowRates(server.uri(), given.number(1));
      rates.store(log);
      TimeUnit.SECONDS.sleep(5); // The server seals what it can.
      for (String form : FORMS) {
        rates.measure(form);
      }
      if (given.has(3)) {
        rates.measureShell(given.text(3), folder.resolve("rows.csv"));
      }
    }
  }

  private void store(List<Event> log) throws IOException {
    for (int from = 0; from < log.size(); from += BATCH) {
      StringWriter lines = new StringWriter();
      NdjsonWriter writer = new NdjsonWriter(lines);
      for (Event event : log.subList(from, Math.min(log.size(), from + BATCH))) {
        writer.event(event);
      }
      HttpURLConnection post = post(server.resolve("/v1/events"), "application/x-ndjson");
      try (Writer out = new OutputStreamWriter(post.getOutputStream(), StandardCharsets.UTF_8)) {
        out.write(lines.toString());
      }
      if (post.getResponseCode() / 100 != 2) {
        throw new IOException("not stored: " + post.getResponseCode());
      }
    }
  }

  private void measure(String form) throws Exception {
    double[] rates = new double[rounds];
    long rows = 0;
    for (int round = 0; round < rounds; round++) {
      long began = CpuTime.ofProcess();
      rows = client(form);
      rates[round] = 1e3 * rows / (CpuTime.ofProcess() - began);
    }
    double last = rates[rounds - 1];
    Samples samples = new Samples(rates);
    System.out.printf(
        Locale.ROOT,
        "%-34s %.2f M rows per CPU-second of the server (%.2f to %.2f, last %.2f), %d lines%n",
        form,
        samples.median(),
        samples.lowest(),
        samples.highest(),
        last,
        rows);
  }

  /** Lets one shell, whose start counts, print an answer as CSV into a file several times. */
  private void measureShell(String classPath, Path rows) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(java(), "-cp", classPath));
    command.addAll(List.of("io.retroscope.cli.Retroscope", "shell", "--server"));
    command.addAll(List.of(server.toString(), "--format", "csv"));
    for (int round = 0; round < rounds; round++) {
      command.addAll(List.of("-c", QUERY));
    }
    long began = CpuTime.ofProcess();
    Process shell =
        new ProcessBuilder(command)
            .redirectOutput(rows.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Duration used = Duration.ZERO;
    while (!shell.waitFor(20, TimeUnit.MILLISECONDS)) {
      used = shell.info().totalCpuDuration().orElse(used);
    }
    if (shell.exitValue() != 0) {
      throw new IOException("the shell failed");
    }
    long ofServer = CpuTime.ofProcess() - began;
    double perNano;
    try (Stream<String> lines = Files.lines(rows)) {
      perNano = 1e3 * lines.count();
    }
    System.out.printf(
        Locale.ROOT,
        "the shell's CSV %.2f M rows per CPU-second of the shell, %.2f of the server, %.2f of"
            + " both%n",
        perNano / used.toNanos(),
        perNano / ofServer,
        perNano / (used.toNanos() + ofServer));
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Reads an answer in a process of its own; returns the number of lines. */
  private long client(String form) throws IOException, InterruptedException {
    Process client =
        new ProcessBuilder(
                java(),
                "-cp",
                System.getProperty("java.class.path"),
                HttpRowRates.class.getName(),
                "read",
                server.toString(),
                form)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String lines = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (client.waitFor() != 0) {
      throw new IOException("the client failed");
    }
    return Long.parseLong(lines.strip());
  }

  private static long read(URI server, String form) throws IOException {
    HttpURLConnection query = post(server.resolve("/v1/query"), "application/rql");
    query.setRequestProperty("Accept", form);
    query.getOutputStream().write(QUERY.getBytes(StandardCharsets.UTF_8));
    long lines = 0;
    byte[] buffer = new byte[1 << 16];
    try (InputStream in = query.getInputStream()) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        for (int i = 0; i < count; i++) {
          lines += buffer[i] == '\n' ? 1 : 0;
        }
      }
    }
    return lines;
  }

  private static HttpURLConnection post(URI address, String type) throws IOException {
    HttpURLConnection post = (HttpURLConnection) address.toURL().openConnection();
    post.setRequestMethod("POST");
    post.setDoOutput(true);
    post.setRequestProperty("Content-Type", type);
    return post;
  }
}
