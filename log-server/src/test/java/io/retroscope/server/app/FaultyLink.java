// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP relay to a server that can be cut, and can break its connections. Thread-safe. */
final class FaultyLink implements AutoCloseable {
  private final int target;
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Random random;
  private volatile boolean isCut;
  private volatile int lossPercent;

  FaultyLink(URI server, Random random) throws IOException {
    this.target = server.getPort();
    this.random = random;
    start(this::accept);
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /** Ends all connections, and refuses new ones until it is mended. */
  void cut() {
    isCut = true;
    closeAll();
  }

  /** Breaks a connection at this share of the transfers, each of which is late as well. */
  void lose(int percent) {
    lossPercent = percent;
  }

  void mend() {
    isCut = false;
    lossPercent = 0;
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      sockets.add(client);
      if (isCut) {
        close(client);
        continue;
      }
      Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
      sockets.add(server);
      start(() -> relay(client, server));
      start(() -> relay(server, client));
    }
  }

  private void relay(Socket from, Socket to) throws IOException {
    byte[] bytes = new byte[8_192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(bytes); count > 0; count = in.read(bytes)) {
        disturb();
        out.write(bytes, 0, count);
      }
    } finally {
      close(from);
      close(to);
    }
  }

  private void disturb() throws IOException {
    int percent = lossPercent;
    if (percent > 0) {
      boolean isLost;
      int millis;
      synchronized (random) {
        isLost = random.nextInt(100) < percent;
        millis = random.nextInt(60);
      }
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      if (isLost) {
        throw new IOException("lost");
      }
    }
  }

  private interface Action {
    void run() throws IOException;
  }

  private static void start(Action action) {
    Thread thread =
        new Thread(
            () -> {
              try {
                action.run();
              } catch (IOException e) {
                // The connection, or the link, is closed.
              }
            },
            "faulty-link");
    thread.setDaemon(true);
    thread.start();
  }

  private void closeAll() {
    sockets.forEach(this::close);
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no use any more.
    }
  }

  @Override
  public void close() throws IOException {
    isCut = true;
    listener.close();
    closeAll();
  }
}
