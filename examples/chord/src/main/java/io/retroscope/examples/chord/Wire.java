// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.recorder.Recorder;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.UnaryOperator;

/**
 * Requests and answers of one line each, over TCP. Each line begins with the stamp and the node of
 * its send event, so that the clock travels with every message. Thread-safe.
 */
class Wire implements Closeable {
  private static final int PATIENCE_MILLIS = 10_000;
  private static final int BACKLOG = 64;
  private static final int MAX_LINE = 1_000;

  private final Recorder recorder;
  private final ServerSocket listener;

  Wire(Recorder recorder, int port) throws IOException {
    this.recorder = recorder;
    this.listener = new ServerSocket(port, BACKLOG, InetAddress.getLoopbackAddress());
  }

  /** Answers requests, each in a thread, until this is closed. */
  void serve(UnaryOperator<String> answer) {
    daemon("accept", () -> acceptAll(answer));
  }

  private void acceptAll(UnaryOperator<String> answer) {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        daemon("request", () -> answer(socket, answer));
      } catch (IOException e) {
        // Closed: no more requests.
      }
    }
  }

  private static void daemon(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void answer(Socket socket, UnaryOperator<String> answer) {
    try (socket) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      write(socket, answer.apply(read(socket)));
    } catch (IOException e) {
      // The other side is gone, and may repeat the request.
    }
  }

  /**
   * Sends a request to a node, and returns its answer.
   *
   * @throws IOException if it does not answer
   */
  String ask(Peer peer, String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), peer.port())) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      write(socket, request);
      return read(socket);
    }
  }

  private void write(Socket socket, String text) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write((stamp() + text + "\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private String read(Socket socket) throws IOException {
    String line =
        new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8), MAX_LINE)
            .readLine();
    if (line == null) {
      throw new IOException("the connection ended before a line did");
    }
    return withoutStamp(line);
  }

  /** The stamp of a send event and this node, in front of a line. */
  String stamp() {
    return HexFormat.of().toHexDigits(recorder.send("")) + " " + recorder.node() + " ";
  }

  /** Receives the stamp of a line; returns the rest. */
  String withoutStamp(String line) {
    String[] parts = line.split(" ", 3);
    recorder.receive(parts[1], HexFormat.fromHexDigitsToLong(parts[0]));
    return parts[2];
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
