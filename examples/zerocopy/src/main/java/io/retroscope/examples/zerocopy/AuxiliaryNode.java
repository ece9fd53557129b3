// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

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
 * A standby that has a copy only of bytes that are written while the other one is missing: a file
 * for each connection of the primary, which begins where the two had everything.
 */
public final class AuxiliaryNode {
  /** In front of the offset at which a part begins. */
  static final String PART_FILE = "part-";

  private AuxiliaryNode() {}

  /**
   * Runs the auxiliary until its process is ended.
   *
   * @param args its port
   */
  public static void main(String[] args) throws IOException {
    Recorder recorder = Recorder.fromEnvironment();
    Stamps stamps = new Stamps(recorder);
    EventLog trace = recorder.log("ship");
    trace.event().unset("durable").record();
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      listener.bind(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0])));
      Files.createFile(Path.of(StandbyNode.READY_FILE));
      while (true) {
        try (SocketChannel primary = listener.accept()) {
          keepPart(primary, stamps, trace);
        } catch (IOException e) {
          System.err.println("the stream ended: " + e.getMessage());
        }
        trace.event().unset("durable").record();
      }
    }
  }

  private static void keepPart(SocketChannel primary, Stamps stamps, EventLog trace)
      throws IOException {
    Frame frame = stamps.received(Frame.read(primary));
    try (LogFile part = LogFile.open(Path.of(PART_FILE + frame.offset()), frame.offset())) {
      while (frame.offset() == part.end()) {
        part.append(primary, frame.length());
        part.force();
        trace.event().set("durable", part.end()).record();
        stamps.frame(part.end(), 0).write(primary);
        frame = stamps.received(Frame.read(primary));
      }
    }
  }
}
