// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.examples.zerocopy.Act.Mode;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;

/** A client that writes, one write after the other, and keeps its input in a file. */
public final class ClientNode {
  static final String READY_FILE = "ready";
  static final String INPUT_FILE = "input";
  static final String NOTES_FILE = "notes";

  private static final int IDLE_MILLIS = 20;

  private final Recorder recorder;
  private final Stamps stamps;
  private final SocketChannel primary;
  private final Random random = new Random(1);
  private long end;

  private ClientNode(Recorder recorder, SocketChannel primary) {
    this.recorder = recorder;
    this.stamps = new Stamps(recorder);
    this.primary = primary;
  }

  /**
   * Runs the client until its process is ended.
   *
   * @param args the port of the primary
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Recorder recorder = Recorder.fromEnvironment();
    recorder.log("client").set("told", 0);
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
    try (SocketChannel primary = SocketChannel.open(address)) {
      Files.writeString(Path.of(NOTES_FILE), "");
      Files.createFile(Path.of(READY_FILE));
      new ClientNode(recorder, primary).run();
    }
  }

  private void run() throws IOException, InterruptedException {
    int lastDone = 0;
    while (true) {
      Act act = Act.current();
      if (act.mode() != Mode.NONE) {
        write(act);
      } else {
        if (act.number() > lastDone) {
          lastDone = act.number();
          Files.createFile(Path.of(act.doneFile()));
        }
        Thread.sleep(IDLE_MILLIS);
      }
    }
  }

  private void write(Act act) throws IOException {
    byte[] bytes = new byte[act.bytes()];
    random.nextBytes(bytes);
    Files.write(Path.of(INPUT_FILE), bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    long began = System.nanoTime();
    stamps.frame(end, bytes.length).write(primary);
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      primary.write(buffer);
    }
    end += bytes.length;
    while (stamps.received(Frame.read(primary)).offset() < end) {
      // An earlier acknowledgement.
    }
    recorder.log("client").set("told", end);
    long micros = (System.nanoTime() - began) / 1_000;
    Files.writeString(
        Path.of(NOTES_FILE),
        new Note(act.number(), bytes.length, end, micros).line() + "\n",
        StandardOpenOption.APPEND);
  }
}
