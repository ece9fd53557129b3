// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/** Requests and answers of one line each, in turn, over connections that stay open. */
final class Wire {
  private static final int BACKLOG = 64;

  private Wire() {}

  /** Answers requests, each connection in a thread, until the process ends. */
  static void serve(int port, Stamps stamps, UnaryOperator<String> answer) throws IOException {
    ServerSocket listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
    daemon(
        "accept",
        () -> {
          while (true) {
            Connection connection = new Connection(listener.accept(), stamps);
            daemon("answer", () -> answerAll(connection, answer));
          }
        });
  }

  private static void answerAll(Connection connection, UnaryOperator<String> answer)
      throws IOException {
    try (connection) {
      while (true) {
        connection.write(answer.apply(connection.read()));
      }
    }
  }

  /** Work that ends with its connection. */
  interface Body {
    void run() throws IOException;
  }

  private static void daemon(String name, Body body) {
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run();
              } catch (IOException e) {
                // The other process has ended, and with it the case.
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  /** A connection to a region. Used by one thread at a time. */
  static final class Connection implements Closeable {
    private final Socket socket;
    private final Stamps stamps;
    private final BufferedReader in;

    private Connection(Socket socket, Stamps stamps) throws IOException {
      socket.setTcpNoDelay(true);
      this.socket = socket;
      this.stamps = stamps;
      this.in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    static Connection to(int port, Stamps stamps) throws IOException {
      return new Connection(new Socket(InetAddress.getLoopbackAddress(), port), stamps);
    }

    /** Sends a request and returns the answer. */
    String ask(String request) throws IOException {
      write(request);
      return read();
    }

    private void write(String text) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write((stamps.sent(text) + "\n").getBytes(StandardCharsets.UTF_8));
      out.flush();
    }

    private String read() throws IOException {
      String line = in.readLine();
      if (line == null) {
        throw new IOException("the connection ended before a line did");
      }
      return stamps.received(line);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
