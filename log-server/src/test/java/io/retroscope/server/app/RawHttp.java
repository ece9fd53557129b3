// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A client for requests with headers that no regular client sends. */
public final class RawHttp {
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)\r\n");

  private final int port;

  /** A client for a port of this machine. */
  public RawHttp(int port) {
    this.port = port;
  }

  /** A response: its status, and all of it as text. */
  public record Reply(int status, String text) {}

  /**
   * Sends a request and reads until the server closes the connection, or switches protocols.
   *
   * @param headers lines, which replace {@code Host} if they have one
   */
  public Reply send(String method, String path, String body, String... headers) throws IOException {
    StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    if (Arrays.stream(headers).noneMatch(line -> line.startsWith("Host:"))) {
      request.append("Host: localhost:").append(port).append("\r\n");
    }
    if (Arrays.stream(headers).noneMatch(line -> line.startsWith("Connection:"))) {
      request.append("Connection: close\r\n");
    }
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    if (!body.isEmpty()) {
      request.append("Content-Length: ").append(body.length()).append("\r\n");
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      byte[] bytes =
          request.append("\r\n").append(body).toString().getBytes(StandardCharsets.UTF_8);
      socket.getOutputStream().write(bytes);
      return read(socket.getInputStream());
    }
  }

  /** Sends the handshake of a WebSocket. */
  public Reply socket(String path, String... headers) throws IOException {
    String[] all = Arrays.copyOf(headers, headers.length + 4);
    all[headers.length] = "Connection: Upgrade";
    all[headers.length + 1] = "Upgrade: websocket";
    all[headers.length + 2] = "Sec-WebSocket-Version: 13";
    all[headers.length + 3] = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    return send("GET", path, "", all);
  }

  private static Reply read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("the answer broke off: \"" + text + "\"");
      }
      head.write(next);
      text = head.toString(StandardCharsets.UTF_8);
    }
    int status = Integer.parseInt(text.substring("HTTP/1.1 ".length()).substring(0, 3));
    Matcher length = LENGTH.matcher(text);
    if (status == 101) {
      return new Reply(status, text);
    }
    byte[] body =
        length.find() ? in.readNBytes(Integer.parseInt(length.group(1))) : in.readAllBytes();
    return new Reply(status, text + new String(body, StandardCharsets.UTF_8));
  }
}
