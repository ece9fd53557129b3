// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.BiConsumer;

/**
 * Lines from the nodes of this process to those of others, over one TCP connection to each process.
 * A link that holds back too many lines loses further ones, as networks do. Thread-safe.
 */
final class Wire implements AutoCloseable {
  private static final int MAX_HELD = 100_000;
  private static final int BACKLOG = 64;
  private static final int RETRY_MILLIS = 50;

  private final ServerSocket listener;
  private final Map<String, Integer> portsByNode;
  private final Map<Integer, BlockingQueue<String>> links = new ConcurrentHashMap<>();
  private final Queue<Thread> senders = new ConcurrentLinkedQueue<>();

  Wire(int port, Map<String, Integer> portsByNode) throws IOException {
    this.listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    this.portsByNode = Map.copyOf(portsByNode);
  }

  /** Passes on each line with the node that it is for, those of one sender in its order. */
  void serve(BiConsumer<String, String> receiver) {
    daemon("accept", () -> acceptAll(receiver));
  }

  private void acceptAll(BiConsumer<String, String> receiver) {
    while (true) {
      try {
        Socket socket = listener.accept();
        daemon("receive", () -> receiveAll(socket, receiver));
      } catch (IOException e) {
        return; // Closed: the process ends.
      }
    }
  }

  private static void receiveAll(Socket socket, BiConsumer<String, String> receiver) {
    try (socket;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        int space = line.indexOf(' ');
        receiver.accept(line.substring(0, space), line.substring(space + 1));
      }
    } catch (IOException e) {
      // The other process has ended.
    }
  }

  void send(String node, String line) {
    Integer port = portsByNode.get(node);
    if (port == null) {
      throw new IllegalArgumentException("no such node: " + node);
    }
    links.computeIfAbsent(port, this::open).offer(node + " " + line + "\n");
  }

  private BlockingQueue<String> open(int port) {
    BlockingQueue<String> lines = new LinkedBlockingQueue<>(MAX_HELD);
    senders.add(daemon("send-" + port, () -> sendAll(port, lines)));
    return lines;
  }

  private static void sendAll(int port, BlockingQueue<String> lines) {
    try (Socket socket = connect(port)) {
      socket.setTcpNoDelay(true);
      OutputStream out = socket.getOutputStream();
      while (true) {
        out.write(lines.take().getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException | InterruptedException e) {
      // The other process has ended, and with it the case.
    }
  }

  private static Socket connect(int port) throws InterruptedException {
    while (true) {
      try {
        return new Socket(InetAddress.getLoopbackAddress(), port);
      } catch (IOException e) {
        Thread.sleep(RETRY_MILLIS); // It has not started yet.
      }
    }
  }

  /** Accepts no connection any more, and sends nothing more. */
  @Override
  public void close() throws IOException {
    listener.close();
    senders.forEach(Thread::interrupt);
  }

  private static Thread daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
