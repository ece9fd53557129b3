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

/**
 * The primary: it appends the client's bytes to its log, and ships them to the standby, or to the
 * auxiliary while the standby is missing. It acknowledges what two have on their disks.
 */
public final class PrimaryNode {
  /** The bytes shipped, those of acknowledgements, and how often the auxiliary stepped in. */
  static final String COUNTS_FILE = "counts";

  private static final int MAX_FRAME = 1 << 20;
  private static final int RETRY_MILLIS = 50;

  private final Stamps stamps;
  private final EventLog trace;
  private final LogFile log;
  private final Replication replication;
  private int lastGap;

  private PrimaryNode(Recorder recorder, Replication replication) throws IOException {
    this.replication = replication;
    this.stamps = new Stamps(recorder);
    this.trace = recorder.log("ship");
    this.log = LogFile.open(Path.of(StandbyNode.LOG_FILE), 0);
  }

  /**
   * Runs the primary until its process is ended.
   *
   * @param args its port, that of the standby, that of the auxiliary, and for how many milliseconds
   *     it waits for the standby alone
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    PrimaryNode primary =
        new PrimaryNode(Recorder.fromEnvironment(), new Replication(Long.parseLong(args[3])));
    primary.record();
    primary.start("standby", () -> primary.shipToStandby(address(args[1])));
    primary.start("auxiliary", () -> primary.shipToAuxiliary(address(args[2])));
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(address(args[0]));
      Files.createFile(Path.of(StandbyNode.READY_FILE));
      try (SocketChannel client = listener.accept()) {
        primary.serve(client);
      }
    }
  }

  private static InetSocketAddress address(String port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  private void serve(SocketChannel client) throws IOException, InterruptedException {
    while (true) {
      Frame frame = stamps.received(Frame.read(client));
      log.append(client, frame.length());
      log.force();
      record();
      if (Act.current().mode() == Mode.EARLY) {
        trace.set("acknowledged", log.end());
        replication.written(log.end());
      } else {
        replication.written(log.end());
        replication.awaitDurableAtTwo(log.end());
        trace.set("acknowledged", log.end());
      }
      Files.writeString(Path.of(COUNTS_FILE), replication.counts());
      stamps.frame(log.end(), 0).write(client);
    }
  }

  private void record() {
    trace.event().set("durable", log.end()).set("head", log.head()).record();
  }

  private interface Shipping {
    void run() throws IOException, InterruptedException;
  }

  /** Repeats it when a connection ends, until the process does; ends that if it fails. */
  private void start(String name, Shipping shipping) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  try {
                    shipping.run();
                  } catch (IOException e) {
                    System.err.println("the stream to the " + name + " ended: " + e.getMessage());
                  }
                  Thread.sleep(RETRY_MILLIS);
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            name);
    thread.setDaemon(true);
    thread.setUncaughtExceptionHandler(
        (failed, e) -> {
          e.printStackTrace();
          Runtime.getRuntime().halt(1);
        });
    thread.start();
  }

  private void shipToStandby(InetSocketAddress address) throws IOException, InterruptedException {
    try (SocketChannel standby = SocketChannel.open(address)) {
      replication.atStandby(stamps.received(Frame.read(standby)).offset());
      while (true) {
        long from = replication.awaitMoreForStandby();
        int left = replication.bytesFrom(from, MAX_FRAME) > 1 ? leaveOut() : 0;
        ship(from + left, replication.bytesFrom(from + left, MAX_FRAME), standby);
        replication.atStandby(stamps.received(Frame.read(standby)).offset());
      }
    }
  }

  /** A byte, once in an act with gaps. */
  private int leaveOut() throws IOException {
    Act act = Act.current();
    if (act.mode() != Mode.GAP || act.number() == lastGap) {
      return 0;
    }
    lastGap = act.number();
    return 1;
  }

  private void shipToAuxiliary(InetSocketAddress address) throws IOException, InterruptedException {
    long from = replication.awaitAuxiliaryNeeded();
    try (SocketChannel auxiliary = SocketChannel.open(address)) {
      while (replication.awaitMoreForAuxiliary()) {
        ship(from, replication.bytesFrom(from, MAX_FRAME), auxiliary);
        from = stamps.received(Frame.read(auxiliary)).offset();
        replication.atAuxiliary(from);
      }
    }
  }

  private void ship(long from, int count, SocketChannel to) throws IOException {
    stamps.frame(from, count).write(to);
    log.ship(from, count, to);
    replication.shipped(count);
  }
}
