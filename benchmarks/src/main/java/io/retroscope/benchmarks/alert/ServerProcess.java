// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A log server in a process of its own, over an empty directory that is deleted at the end: the
 * garbage and the compiler of nodes and clients do not delay it.
 */
final class ServerProcess implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long WARM_UP_NANOS = TimeUnit.MINUTES.toNanos(5);

  private final Path folder;
  private final Process process;
  private final BufferedReader lines;
  private final URI uri;

  private ServerProcess(Path folder, Process process) throws IOException {
    this.folder = folder;
    this.process = process;
    this.lines = process.inputReader(StandardCharsets.UTF_8);
    this.uri = readAddress();
  }

  /** The address; a profiler may print lines before it. */
  private URI readAddress() throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("http")) {
        return URI.create(line);
      }
    }
    throw new IOException("the server has not started");
  }

  /** A receiver of what the server has stored. */
  interface StoredListener {
    /**
     * Takes how far the server's events go.
     *
     * @param lastHlc packed, the last stamp of the watched node
     * @param coveredHlc packed, the stamp up to which the events of all nodes are stored
     * @param nanos when it was seen, by {@link System#nanoTime} of this machine
     */
    void stored(long lastHlc, long coveredHlc, long nanos);
  }

  /** Starts a server, and waits for the end of its warm-up. */
  static ServerProcess start() throws IOException {
    return start(List.of());
  }

  /**
   * As {@link #start()}, but the server reports what it has stored, at the cost of a look every
   * millisecond.
   *
   * @param watched the node whose stored stamps are reported
   */
  static ServerProcess startWatched(String watched) throws IOException {
    return start(List.of(watched));
  }

  private static ServerProcess start(List<String> watched) throws IOException {
    Path folder = Files.createTempDirectory("retroscope-lag");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(ServerProcess.class.getName(), folder.toString()));
    command.addAll(watched);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new ServerProcess(folder, process);
  }

  /**
   * The program of the process: takes the directory, and the node to watch if any; ends with its
   * input.
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    try (LogServer server = LogServer.start(ServerConfig.in(folder).port(0).warmUp(true).build())) {
      awaitWarmUp(folder.resolve("warm-up"));
      System.out.println(server.uri());
      if (args.length > 1) {
        Thread watching = new Thread(() -> watch(server, args[1]), "stored");
        watching.setDaemon(true);
        watching.start();
      }
      int unused = System.in.read();
    }
  }

  /** The folder exists while the warm-up runs. */
  private static void awaitWarmUp(Path folder) throws IOException {
    long deadline = System.nanoTime() + WARM_UP_NANOS;
    for (boolean isExpected : List.of(true, false)) {
      while (Files.exists(folder) != isExpected) {
        LockSupport.parkNanos(LOOK_NANOS);
        if (System.nanoTime() > deadline) {
          throw new IOException("the warm-up has not ended");
        }
      }
    }
  }

  private static void watch(LogServer server, String node) {
    String before = "";
    while (!System.out.checkError()) {
      LockSupport.parkNanos(LOOK_NANOS);
      String stored = stored(server, node);
      if (!stored.equals(before)) {
        before = stored;
        System.out.println(stored + " " + System.nanoTime());
      }
    }
  }

  private static String stored(LogServer server, String node) {
    try (EventSource.View view = server.events().open()) {
      long last =
          view.nodes().stream()
              .filter(known -> known.name().equals(node))
              .mapToLong(known -> known.lastHlc())
              .max()
              .orElse(HlcTimestamp.MIN_PACKED);
      long covered =
          view.frontiers().stream()
              .mapToLong(NodeFrontier::hlc)
              .min()
              .orElse(HlcTimestamp.MIN_PACKED);
      return last + " " + covered;
    }
  }

  URI uri() {
    return uri;
  }

  /** Passes on what the server stores, until it ends. */
  void follow(StoredListener listener) {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] parts = line.split(" ");
        listener.stored(
            Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]));
      }
    } catch (IOException e) {
      // The measurement is over.
    }
  }

  /**
   * The number and the mean duration of a kind of work since the start, by the server's metrics.
   */
  String meanOf(String kind) throws IOException {
    Map<String, Double> metrics = new HashMap<>();
    try (InputStream in = uri.resolve("/metrics").toURL().openStream()) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.startsWith("retroscope_" + kind + "_seconds_"))
          .map(line -> line.split(" "))
          .filter(parts -> !parts[0].contains("{"))
          .forEach(parts -> metrics.put(parts[0], Double.valueOf(parts[1])));
    }
    double count = metrics.getOrDefault("retroscope_" + kind + "_seconds_count", 0.0);
    double sum = metrics.getOrDefault("retroscope_" + kind + "_seconds_sum", 0.0);
    return "%,.0f, of %.2f ms each".formatted(count, 1e3 * sum / count);
  }

  /** The CPU time that the server has used so far. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      process.waitFor(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
