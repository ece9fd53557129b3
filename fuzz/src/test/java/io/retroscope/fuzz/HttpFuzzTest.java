// SPDX-License-Identifier: Apache-2.0
package io.retroscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.api.SilentCloseable;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Any request gets an answer, and none is a failure of the server. */
class HttpFuzzTest {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final int MAX_TEXT_CHARS = 1_000;
  private static final int MAX_ANSWER_BYTES = 1 << 20;
  private static final String[] TARGETS = {
    "POST /v1/events", "GET /v1/events", "POST /v1/query", "GET /v1/lines", "GET /v1/logs",
    "GET /v1/nodes", "GET /v1/alignment", "GET /metrics", "GET /health/ready", "GET /nowhere"
  };
  private static final String[] TYPES = {
    "application/x-ndjson",
    "application/json",
    "application/vnd.retroscope.blocks",
    "application/rql",
    "text/plain"
  };

  @TempDir static Path directory;
  private static LogServer server;

  @BeforeAll
  static void start() {
    server =
        LogServer.start(
            ServerConfig.in(directory)
                .port(0)
                .store(new StoreOptions(1 << 20, new MemoryBudget(16 << 20), 1_000_000))
                .build());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Three bytes choose target, type and packing; a query line, a header line, and the body. */
  @FuzzTest(maxDuration = "2m")
  void request_anything_isAnswered(byte[] data) throws IOException {
    if (data.length < 3) {
      return;
    }
    int query = end(data, 3);
    int header = end(data, Math.min(data.length, query + 1));
    byte[] body = Arrays.copyOfRange(data, Math.min(data.length, header + 1), data.length);
    String head =
        TARGETS[(data[0] & 0xff) % TARGETS.length]
            + visible(data, 3, query)
            + " HTTP/1.1\r\nHost: 127.0.0.1:"
            + server.port()
            + "\r\nConnection: close\r\nContent-Type: "
            + TYPES[(data[1] & 0xff) % TYPES.length]
            + ((data[2] & 1) == 1 ? "\r\nContent-Encoding: gzip" : "")
            + "\r\nLast-Event-ID: "
            + visible(data, query, header)
            + "\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    check(send(head.getBytes(StandardCharsets.UTF_8), body));
  }

  private static int end(byte[] data, int from) {
    int end = from;
    while (end < data.length && data[end] != '\n') {
      end++;
    }
    return end;
  }

  /** Not even HTTP; the server may also just close the connection. */
  @FuzzTest(maxDuration = "2m")
  void request_bytes_doNotFailTheServer(byte[] data) throws IOException {
    String answer = send(data, "\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    // HTTP/2 is answered in frames.
    boolean http2 = new String(data, StandardCharsets.ISO_8859_1).startsWith("PRI * HTTP/2.0");
    if (!answer.isEmpty() && !http2) {
      check(answer);
    }
  }

  private static void check(String answer) {
    assertThat(answer).startsWith("HTTP/1.").doesNotContain("\tat java.", "\tat io.retroscope");
    assertThat(answer.substring(9, 12)).isNotEqualTo("500");
  }

  /** What may be in a request's line and headers at all. */
  private static String visible(byte[] data, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < Math.min(to, from + MAX_TEXT_CHARS); i++) {
      if (data[i] > ' ' && data[i] < 0x7f) {
        text.append((char) data[i]);
      }
    }
    return text.toString();
  }

  private static String send(byte[] head, byte[] body) throws IOException {
    // Jazzer would report the connection as a server-side request forgery.
    SilentCloseable allowed = BugDetectors.allowNetworkConnections((host, port) -> true);
    try (allowed;
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      try {
        OutputStream out = socket.getOutputStream();
        out.write(head);
        out.write(body);
        socket.shutdownOutput();
      } catch (IOException e) {
        // The server may answer before it has read everything, and close.
      }
      return read(socket);
    }
  }

  private static String read(Socket socket) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try {
      answer.write(socket.getInputStream().readNBytes(MAX_ANSWER_BYTES));
    } catch (SocketException e) {
      // Reset: it closed with something unread.
    }
    return answer.toString(StandardCharsets.UTF_8);
  }
}
