// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A log server in a process of its own, over an empty directory that is deleted at the end: the
 * garbage and the compiler of nodes and clients do not delay it.
 */
final class ServerProcess implements AutoCloseable {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

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
     * Takes the last stamp of a node.
     *
     * @param hlc packed
     * @param nanos when it was seen, by {@link System#nanoTime} of this machine
     */
    void stored(long hlc, long nanos);
  }

  /** Starts a server. */
  static ServerProcess start() throws IOException {
    return start(List.of());
  }

  /**
   * Starts a server that reports what it has stored, at the cost of a look every millisecond.
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
    try (LogServer server = LogServer.start(ServerConfig.in(Path.of(args[0])).port(0).build())) {
      System.out.println(server.uri());
      if (args.length > 1) {
        Thread watching = new Thread(() -> watch(server, args[1]), "stored");
        watching.setDaemon(true);
        watching.start();
      }
      int unused = System.in.read();
    }
  }

  private static void watch(LogServer server, String node) {
    long before = HlcTimestamp.MIN_PACKED;
    while (!System.out.checkError()) {
      LockSupport.parkNanos(LOOK_NANOS);
      long last = lastHlc(server, node);
      if (last > before) {
        before = last;
        System.out.println(last + " " + System.nanoTime());
      }
    }
  }

  private static long lastHlc(LogServer server, String node) {
    try (EventSource.View view = server.events().open()) {
      return view.nodes().stream()
          .filter(known -> known.name().equals(node))
          .mapToLong(known -> known.lastHlc())
          .max()
          .orElse(HlcTimestamp.MIN_PACKED);
    }
  }

  URI uri() {
    return uri;
  }

  /** Passes on what the server stores, until it ends. */
  void follow(StoredListener listener) {
    try {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int space = line.indexOf(' ');
        listener.stored(
            Long.parseLong(line.substring(0, space)), Long.parseLong(line.substring(space + 1)));
      }
    } catch (IOException e) {
      // The measurement is over.
    }
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
