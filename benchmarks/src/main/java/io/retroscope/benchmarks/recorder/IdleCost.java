// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.recorder;

import com.sun.net.httpserver.HttpServer;
import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.ScratchFolder;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.recorder.Recorder;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.FileSink;
import io.retroscope.sink.HttpSink;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * A measurement of the CPU time and the frames per second of a process whose recorder has nothing
 * to record. Not a JMH benchmark: each kind of sink is measured in a separate process, with a log
 * server in this one.
 *
 * <p>Arguments: the seconds to measure, and kinds among {@code none}, {@code socket}, {@code post},
 * {@code file}, {@code kafka=BROKER:PORT}; {@code none} is a process without a recorder.
 */
public final class IdleCost {
  private static final long WARM_UP_SECONDS = 10;

  private IdleCost() {}

  /** Measures the kinds in sequence; a child process idles with one sink. */
  public static void main(String[] args) throws IOException, InterruptedException {
    Arguments given = new Arguments(args, "seconds, kinds of sinks");
    if (given.text(0, "").equals("child")) {
      idle(given.text(1), given.text(2), given.number(3));
      return;
    }
    int seconds = given.number(0, 30);
    List<String> kinds = given.has(1) ? given.from(1) : List.of("none", "socket", "post", "file");
    HttpServer postsOnly = postsOnly();
    URI posts = URI.create("http://127.0.0.1:" + postsOnly.getAddress().getPort());
    try (ScratchFolder scratch = ScratchFolder.create("idle");
        LogServer server = LogServer.start(ServerConfig.in(scratch.path()).port(0).build())) {
      for (String kind : kinds) {
        measure(kind, kind.equals("post") ? posts : server.uri(), seconds);
      }
    } finally {
      postsOnly.stop(0);
    }
  }

  /** A server without sockets, like older ones. */
  private static HttpServer postsOnly() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.getRequestBody().readAllBytes();
            byte[] answer = "{\"accepted\":0}".getBytes(StandardCharsets.US_ASCII);
            boolean post = exchange.getRequestMethod().equals("POST");
            exchange.sendResponseHeaders(post ? 200 : 404, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    server.start();
    return server;
  }

  private static void measure(String kind, URI server, int seconds)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElse("java"),
            "-cp",
            System.getProperty("java.class.path"),
            IdleCost.class.getName(),
            "child",
            kind,
            server.toString(),
            Integer.toString(seconds));
    Process child = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      out.lines().forEach(System.out::println);
    }
    child.waitFor();
  }

  private static void idle(String kind, String server, int seconds)
      throws IOException, InterruptedException {
    LongAdder frames = new LongAdder();
    if (kind.equals("none")) {
      print(kind, frames, seconds);
      return;
    }
    try (ScratchFolder scratch = ScratchFolder.create("idle");
        Recorder recorder =
            Recorder.builder()
                .node("idle-" + kind.replaceAll("=.*", ""))
                .sink(
                    new WatchedSink(
                        sink(kind, server, scratch.path()), block -> frames.increment()))
                .build()) {
      recorder.log("app").set("started", true);
      print(kind, frames, seconds);
    }
  }

  private static EventSink sink(String kind, String server, Path directory) {
    if (kind.startsWith("kafka=")) {
      return KafkaSink.builder(kind.substring(6)).build();
    }
    return switch (kind) {
      case "socket", "post" -> HttpSink.builder().server(URI.create(server)).build();
      case "file" -> new FileSink(directory.resolve("trace.rtsb"));
      default -> throw new IllegalArgumentException("unknown kind of sink: " + kind);
    };
  }

  private static void print(String kind, LongAdder frames, int seconds)
      throws InterruptedException {
    TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
    long framesBefore = frames.sum();
    Duration before = cpu();
    TimeUnit.SECONDS.sleep(seconds);
    double millis = cpu().minus(before).toNanos() / 1e6 / seconds;
    double rate = (frames.sum() - framesBefore) / (double) seconds;
    System.out.printf(
        Locale.ROOT, "%-8s %7.2f ms CPU per second %7.2f frames per second%n", kind, millis, rate);
  }

  /** The CPU time of the whole process, including garbage collection and compiler. */
  private static Duration cpu() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
