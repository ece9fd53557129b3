// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that the web server refuses before they reach a route. */
@Timeout(60)
class RefusedRequestsTest {
  private static final String HOST = "Host: 127.0.0.1\r\nConnection: close\r\n";

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  @ParameterizedTest
  @CsvSource({"garbage, 400", "length, 400", "path, 414", "headers, 431", "version, 505"})
  void request_thatIsNoHttp_getsAProblemDocument(String kind, int status) throws IOException {
    String request =
        switch (kind) {
          case "garbage" -> "G\u0001T / HTTP/1.1\r\n" + HOST + "\r\n";
          case "length" -> "POST /v1/events HTTP/1.1\r\n" + HOST + "Content-Length: x\r\n\r\n";
          case "path" -> "GET /" + "a".repeat(200_000) + " HTTP/1.1\r\n" + HOST + "\r\n";
          case "headers" ->
              "GET /health/live HTTP/1.1\r\n" + HOST + "X: " + "a".repeat(200_000) + "\r\n\r\n";
          case "version" -> "GET /health/live HTTP/9.9\r\n" + HOST + "\r\n";
          default -> throw new IllegalArgumentException(kind);
        };
    try (RawConnection connection = new RawConnection(server.uri())) {
      String answer = connection.send(request).rest();
      assertThat(answer)
          .startsWith("HTTP/1.1 " + status)
          .contains("application/problem+json", "\"status\":" + status, "\"detail\":\"")
          .doesNotContain("<html");
    }
  }
}
