// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.clock.PhysicalClock;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** The listening side of a node, with a thread for each connection. Thread-safe. */
final class Answerer implements AutoCloseable {
  private static final int MAX_CONNECTION_COUNT = 2 * LatencyOptions.MAX_PEER_COUNT;

  private final LatencyOptions options;
  private final Stamps stamps;
  private final PhysicalClock clock;
  private final Consumer<String> notice;
  private final ServerSocket listener;
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

  Answerer(LatencyOptions options, Stamps stamps, PhysicalClock clock, Consumer<String> notice)
      throws IOException {
    this.options = options;
    this.stamps = stamps;
    this.clock = clock;
    this.notice = notice;
    this.listener = new ServerSocket();
    listener.bind(options.listen(), LatencyOptions.MAX_PEER_COUNT);
    start("latency-accept", this::acceptAll);
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** The port at which it answers. */
  int port() {
    return listener.getLocalPort();
  }

  private void acceptAll() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        if (connections.size() >= MAX_CONNECTION_COUNT) {
          socket.close();
          continue;
        }
        connections.add(socket);
        start("latency-answer", () -> answerAll(socket));
      } catch (IOException e) {
        // Closed, or a connection that ended before it was accepted.
      }
    }
  }

  private void answerAll(Socket socket) {
    try (socket) {
      Handshake.accept(socket, options);
      while (true) {
        Frame ping = Frame.read(socket.getInputStream(), options.frameBytes());
        long received = clock.freshMicros();
        stamps.received("", ping.stamp());
        Frame answer =
            new Frame(
                ping.round(), stamps.sent(""), ping.sentMicros(), received, clock.freshMicros());
        socket.getOutputStream().write(answer.bytes(options.frameBytes()));
      }
    } catch (IOException e) {
      String message = String.valueOf(e.getMessage());
      if (message.contains("refused") || message.contains("--size")) {
        notice.accept(message);
      }
    } finally {
      connections.remove(socket);
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : connections) {
        socket.close();
      }
    } catch (IOException e) {
      // The process ends or has other sockets to care for.
    }
  }
}
