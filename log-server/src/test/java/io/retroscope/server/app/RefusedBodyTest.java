// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.memory.MemoryBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the body of a refused request is neither waited for nor charged. */
@Timeout(60)
class RefusedBodyTest {
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final int BODY_BYTES = 4_000_000;

  @TempDir Path directory;
  private final List<RawConnection> connections = new ArrayList<>();
  private LogServer server;

  @BeforeEach
  void start() throws IOException {
    Path tokens = Files.writeString(directory.resolve("tokens"), "web write " + TOKEN);
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    AccessOptions access = AccessOptions.DEFAULT.withTokenFile(tokens);
    server =
        LogServer.start(ServerConfig.in(directory.resolve("data")).port(0).access(access).build());
  }

  @AfterEach
  void stop() throws IOException {
    for (RawConnection connection : connections) {
      connection.close();
    }
    server.close();
  }

  private RawConnection connect(String text) throws IOException {
    RawConnection connection = new RawConnection(server.uri());
    connections.add(connection);
    return connection.send(text);
  }

  private static String post(String path, int length, String... headers) {
    return "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%sContent-Length: %d\r\n\r\n"
        .formatted(path, String.join("", headers), length);
  }

  @Test
  void body_ofAStranger_isNotCharged() throws Exception {
    long before = MemoryBudget.ofProcess().usedBytes();
    for (int i = 0; i < 5; i++) {
      String begun = post("/v1/events", BODY_BYTES, "Content-Type: application/x-ndjson\r\n");
      assertThat(connect(begun + " ".repeat(100_000)).statusLine()).contains("401");
    }
    assertThat(MemoryBudget.ofProcess().usedBytes()).isLessThan(before + 100_000);
  }

  /** The same body from an authorised sender, to show that the test above would detect a charge. */
  @Test
  void body_ofASender_isCharged() throws Exception {
    long before = MemoryBudget.ofProcess().usedBytes();
    connect(
        post(
                "/v1/events",
                BODY_BYTES,
                "Content-Type: application/x-ndjson\r\n",
                "Authorization: Bearer " + TOKEN + "\r\n")
            + " ".repeat(100_000));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> MemoryBudget.ofProcess().usedBytes() >= before + 100_000);
  }

  @Test
  void connection_bodyThatIsThere_staysOpen() throws Exception {
    String answers =
        connect(
                post("/v1/query", 2, "Content-Type: application/rql\r\n")
                    + "{}GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            .rest();
    assertThat(answers).startsWith("HTTP/1.1 401").contains("HTTP/1.1 200").endsWith("alive\n");
    assertThat(answers).contains("WWW-Authenticate: Bearer");
  }

  @Test
  void connection_bodyThatIsStillToCome_isClosed() throws Exception {
    String answer =
        connect(post("/v1/query", BODY_BYTES, "Content-Type: application/rql\r\n") + "{").rest();
    assertThat(answer).startsWith("HTTP/1.1 401").containsIgnoringCase("Connection: close");
    assertThat(connect(post("/nothing", BODY_BYTES)).rest()).startsWith("HTTP/1.1 404");
  }

  /** A client that waits for 100 Continue, as curl does, sends no body. */
  @Test
  void expectation_ofAStranger_isNotMet() throws Exception {
    String request =
        post(
            "/v1/events",
            BODY_BYTES,
            "Content-Type: application/x-ndjson\r\n",
            "Expect: 100-continue\r\n");
    assertThat(connect(request).rest()).startsWith("HTTP/1.1 401");
  }
}
