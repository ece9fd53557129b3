// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * A connection on which a test sends data that no HTTP client would send, or sends it incompletely.
 */
final class RawConnection implements AutoCloseable {
  private final Socket socket;

  RawConnection(URI server) throws IOException {
    socket = new Socket(server.getHost(), server.getPort());
    socket.setSoTimeout(30_000);
  }

  /** The beginning of a request without its body. */
  static String post(String path, String contentType, int contentLength) {
    return "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(path, contentType, contentLength);
  }

  RawConnection send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  RawConnection send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  /** Everything that arrives until the server ends the connection. */
  String rest() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** The next bytes that arrive. */
  String next(int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.UTF_8);
  }

  /** The first line of an answer. */
  String statusLine() throws IOException {
    return String.valueOf(
        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
            .readLine());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
