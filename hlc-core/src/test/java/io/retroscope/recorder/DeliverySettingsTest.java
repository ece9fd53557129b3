// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The settings of a sink that the recorder creates itself. */
class DeliverySettingsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> properties = new HashMap<>();
  private final List<String> authorizations = new CopyOnWriteArrayList<>();
  private volatile int status = 200;

  @TempDir private Path directory;
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    environment.put("RETROSCOPE_NODE", "zk1");
    environment.put("RETROSCOPE_SERVER", "http://127.0.0.1:" + server.getAddress().getPort());
    environment.put("RETROSCOPE_CLOSE_TIMEOUT_MILLIS", "300");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean post = exchange.getRequestMethod().equals("POST");
      if (post) {
        authorizations.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
      }
      exchange.getRequestBody().readAllBytes();
      byte[] body = "{\"accepted\":1}".getBytes(StandardCharsets.US_ASCII);
      exchange.sendResponseHeaders(post ? status : 404, body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private Recorder recorder() {
    return Recorder.builder().settings(new Settings(environment::get, properties::get)).build();
  }

  @Test
  void build_token_isSent() {
    environment.put("RETROSCOPE_TOKEN", "abc-123");
    try (Recorder recorder = recorder()) {
      assertThat(recorder.flush(PATIENCE)).isTrue();
    }
    assertThat(authorizations).contains("Bearer abc-123").doesNotContain("null");
  }

  @Test
  void build_tokenFile_isReadAgainWhenItHasChanged() throws IOException {
    Path file = directory.resolve("token");
    Files.writeString(file, "first-one\n");
    environment.put("RETROSCOPE_TOKEN_FILE", file.toString());
    try (Recorder recorder = recorder()) {
      assertThat(recorder.flush(PATIENCE)).isTrue();
      assertThat(authorizations).contains("Bearer first-one");
      Files.writeString(file, "and-the-second-one\n");
      recorder.log("setd").set("r1", 1);
      assertThat(recorder.flush(PATIENCE)).isTrue();
    }
    assertThat(authorizations).contains("Bearer and-the-second-one");
  }

  @Test
  void build_tokenThatNoHeaderCarries_isRefusedWithoutShowingIt() {
    environment.put("RETROSCOPE_STRICT", "true");
    environment.put("RETROSCOPE_TOKEN", "not secret");
    assertThatThrownBy(this::recorder)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("visible ASCII")
        .hasMessageNotContaining("not secret");
  }

  @Test
  void build_tokenThatNoHeaderCarriesUnlessStrict_isReportedWithoutShowingIt() {
    environment.put("RETROSCOPE_TOKEN", "not secret");
    try (Recorder recorder = recorder()) {
      assertThat(recorder.health().toString())
          .contains("RETROSCOPE_TOKEN", "events are sent without a token")
          .doesNotContain("not secret");
    }
  }

  @Test
  void build_memoryLimit_countsAndTheLossIsInTheStatistics() {
    environment.put("RETROSCOPE_MAX_MEMORY_BYTES", "20000");
    status = 503;
    Recorder recorder = recorder();
    for (int i = 0; i < 200; i++) {
      recorder.log("app").line("x".repeat(1_000) + i).record();
    }
    recorder.close();
    assertThat(recorder.statistics().lostBySink()).isEqualTo(202);
  }

  @Test
  void build_spillLimit_counts() throws IOException {
    environment.put("RETROSCOPE_MAX_MEMORY_BYTES", "1000");
    environment.put("RETROSCOPE_MAX_SPILL_BYTES", "50000");
    environment.put("RETROSCOPE_STATE_DIRECTORY", directory.toString());
    status = 503;
    Recorder recorder = recorder();
    for (int i = 0; i < 100; i++) {
      recorder.log("app").line(i + "x".repeat(8_000)).record();
      recorder.flush(Duration.ofMillis(1));
    }
    recorder.close();
    assertThat(recorder.statistics().lostBySink()).isPositive();
    try (var files = Files.walk(directory)) {
      assertThat(
              files
                  .filter(path -> path.toString().endsWith(".spill"))
                  .mapToLong(path -> path.toFile().length())
                  .sum())
          .isBetween(1L, 50_000L);
    }
  }

  @Test
  void build_limitUnreadable_namesTheVariable() {
    environment.put("RETROSCOPE_STRICT", "true");
    for (String name : List.of("MAX_MEMORY_BYTES", "MAX_SPILL_BYTES")) {
      environment.put("RETROSCOPE_STATE_DIRECTORY", directory.resolve(name).toString());
      environment.put("RETROSCOPE_" + name, "many");
      assertThatThrownBy(this::recorder)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContainingAll("RETROSCOPE_" + name, "\"many\"");
      environment.remove("RETROSCOPE_" + name);
    }
  }
}
