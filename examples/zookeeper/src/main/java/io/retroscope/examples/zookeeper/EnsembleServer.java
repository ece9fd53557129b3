// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One server of the ensemble, in a separate process. Thread-safe. */
public final class EnsembleServer {
  private static final Duration POLL = Duration.ofMillis(50);
  private static final int PROBE_TIMEOUT_MILLIS = 1_000;
  private static final int MAX_ANSWER_BYTES = 64 * 1024;

  private final String node;
  private final int clientPort;
  private final Path folder;
  private final ChildProcess process;

  EnsembleServer(String node, int clientPort, Path folder, List<String> command) {
    this.node = node;
    this.clientPort = clientPort;
    this.folder = folder;
    this.process = new ChildProcess("ZooKeeper server " + node, folder, "server.out", command);
  }

  /** The server's name, which is also the node's. */
  public String node() {
    return node;
  }

  /** The address at which clients connect to this server only. */
  public String address() {
    return "127.0.0.1:" + clientPort;
  }

  /** The file with the server's own log. */
  public Path logFile() {
    return folder.resolve("server.log");
  }

  /** The process's id, if it runs. */
  public Optional<Long> pid() {
    return process.pid();
  }

  /** Whether the process runs; it may not serve clients yet. */
  public boolean isRunning() {
    return process.isRunning();
  }

  /**
   * Checks that the process runs.
   *
   * @throws StageException if it does not
   */
  void checkRunning() throws StageException {
    if (!isRunning()) {
      throw new StageException("ZooKeeper server " + node + " ended" + complaint());
    }
  }

  /** Starts the process, or restarts it on the same data; no effect if it runs. */
  public void start() throws StageException {
    process.start();
  }

  /** Simulates a crash with SIGKILL, and waits for the process's end. */
  public void kill() {
    process.kill();
  }

  /** Requests the process's end, and kills it if it does not end within a few seconds. */
  void stop() {
    process.stop();
  }

  /** Requests the end without waiting, so that several servers end concurrently. */
  void requestStop() {
    process.requestStop();
  }

  /**
   * Waits until the server serves clients.
   *
   * @throws StageException if its process ends or the time limit elapses before that
   */
  public void awaitServing(Duration patience) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(patience);
    while (mode().isEmpty()) {
      if (!isRunning()) {
        throw new StageException("ZooKeeper server " + node + " ended at start" + complaint());
      }
      if (deadline.hasPassed()) {
        throw new StageException(
            "ZooKeeper server "
                + node
                + " did not come up within "
                + patience.toSeconds()
                + " s"
                + complaint());
      }
      Deadline.sleep(POLL);
    }
  }

  /**
   * The mode, {@code leader} or {@code follower}, while the server serves clients; otherwise empty.
   */
  public Optional<String> mode() {
    try {
      return send("srvr")
          .lines()
          .filter(line -> line.startsWith("Mode: "))
          .map(line -> line.substring("Mode: ".length()))
          .findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private String send(String fourLetterWord) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), clientPort),
          PROBE_TIMEOUT_MILLIS);
      socket.setSoTimeout(PROBE_TIMEOUT_MILLIS);
      socket.getOutputStream().write(fourLetterWord.getBytes(StandardCharsets.US_ASCII));
      InputStream answer = socket.getInputStream();
      return new String(answer.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.US_ASCII);
    }
  }

  /** Whether its log reports that a port was in use. */
  boolean foundPortTaken() {
    return logLines().stream().anyMatch(line -> line.contains("Address already in use"));
  }

  private String complaint() {
    return logLines().stream()
            .filter(line -> line.contains(" ERROR "))
            .reduce((first, last) -> last)
            .map(line -> ": " + line)
            .orElse("")
        + " (log: "
        + logFile()
        + ")";
  }

  private List<String> logLines() {
    try {
      return Files.exists(logFile()) ? Files.readAllLines(logFile()) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the log of " + node, e);
    }
  }
}
