// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.examples.zerocopy.Act.Mode;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * A standby with a copy of the log. It closes a stream with a gap: the primary begins again where
 * the copy ends.
 */
public class StandbyNode {
  static final String READY_FILE = "ready";
  static final String LOG_FILE = "log";

  /** The length up to which the copy is forced to the disk. */
  static final String FORCED_FILE = "forced";

  /** A line for each stream that was closed because of a gap. */
  static final String GAPS_FILE = "gaps";

  /** The length up to which the log server has this node's events. */
  static final String TRACED_FILE = "traced";

  private static final Duration FLUSH_PATIENCE = Duration.ofSeconds(1);

  private final Recorder recorder;
  private final Stamps stamps;
  private final EventLog trace;
  private final LogFile log;

  StandbyNode(Recorder recorder, Stamps stamps) throws IOException {
    this.recorder = recorder;
    this.stamps = stamps;
    this.trace = recorder.log("ship");
    this.log = LogFile.open(Path.of(LOG_FILE), 0);
  }

  /**
   * Runs a standby until its process is ended.
   *
   * @param args its port
   */
  public static void main(String[] args) throws IOException {
    Recorder recorder = Recorder.fromEnvironment();
    new StandbyNode(recorder, new Stamps(recorder)).run(Integer.parseInt(args[0]));
  }

  final void run(int port) throws IOException {
    record();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      Files.writeString(Path.of(READY_FILE), "");
      while (true) {
        try (SocketChannel primary = listener.accept()) {
          acknowledge(primary);
          receiveAll(primary);
        } catch (IOException e) {
          System.err.println("the stream ended: " + e.getMessage());
        }
      }
    }
  }

  private void receiveAll(SocketChannel primary) throws IOException {
    while (true) {
      Frame frame = stamps.received(Frame.read(primary));
      if (!follows(frame, log.end())) {
        Files.writeString(
            Path.of(GAPS_FILE),
            "%d instead of %d%n".formatted(frame.offset(), log.end()),
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
        return;
      }
      if (frame.length() > 0) {
        append(primary, frame.length());
      } else if (recorder.flush(FLUSH_PATIENCE)) {
        Files.writeString(Path.of(TRACED_FILE), Long.toString(log.end()));
      }
      acknowledge(primary);
    }
  }

  private void append(SocketChannel primary, int count) throws IOException {
    log.append(primary, count);
    if (Act.current().mode() != Mode.LAZY) {
      log.force();
      Files.writeString(Path.of(FORCED_FILE), Long.toString(log.end()));
    }
    record();
  }

  /** Whether the bytes after a frame are the next ones. */
  boolean follows(Frame frame, long end) {
    return frame.offset() == end;
  }

  /** Both in one event: apart, each change would look like another copy. */
  private void record() {
    trace.event().set("durable", log.end()).set("head", log.head()).record();
  }

  private void acknowledge(SocketChannel primary) throws IOException {
    stamps.frame(log.end(), 0).write(primary);
  }
}
