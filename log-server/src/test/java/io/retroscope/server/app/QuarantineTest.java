// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of an operator's view of quarantined events, and of releasing and deleting them. */
@Timeout(60)
class QuarantineTest {
  private static final long NOW_MICROS = 1_795_200_000_000_000L;
  private static final String AHEAD =
      """
      {"node":"a","log":"l","hlc":"1795200090000000.0","set":{"x":1}}
      {"node":"b","log":"l","hlc":"1795200095000000.0","set":{"x":2}}
      """;
  private static final String LATER =
      "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"1795200100000000.0\",\"message\":\"m\"}\n";

  private final AtomicLong nowMicros = new AtomicLong(NOW_MICROS);
  @TempDir Path directory;

  @Test
  void quarantine_listReleasePurge() throws Exception {
    try (LogServer server = start("a", false)) {
      HttpProbe http = new HttpProbe(server.uri());
      assertThat(http.get("/v1/admin/quarantine").body()).isEqualTo("{\"nodes\":[]}");
      http.events(AHEAD);

      assertThat(http.get("/v1/admin/quarantine").body())
          .isEqualTo(
              "{\"nodes\":[{\"node\":\"a\",\"events\":1,\"firstHlc\":\"1795200090000000.0\","
                  + "\"lastHlc\":\"1795200090000000.0\"},{\"node\":\"b\",\"events\":1,"
                  + "\"firstHlc\":\"1795200095000000.0\",\"lastHlc\":\"1795200095000000.0\"}]}");
      assertThat(post(http, "release", "{\"nodes\":[\"a\"]}"))
          .isEqualTo("{\"released\":1,\"duplicates\":0,\"contradicting\":0}");
      assertThat(http.get("/v1/events").body())
          .contains("\"node\":\"a\"")
          .doesNotContain("\"node\":\"b\"");
      assertThat(post(http, "purge", "{\"until\":\"1795200094000000.0\"}"))
          .isEqualTo("{\"purged\":0}");
      assertThat(post(http, "purge", "{}")).isEqualTo("{\"purged\":1}");
      assertThat(http.get("/v1/admin/quarantine").body()).isEqualTo("{\"nodes\":[]}");
      assertThat(post(http, "purge", "[]")).contains("the body must be an object");
      assertThat(post(http, "release", "{\"until\":\"noon\"}")).contains("\"status\":400");
    }
  }

  @Test
  void answers_overQuarantinedStamps_warn() throws Exception {
    try (LogServer server = start("a", false);
        LogServer other = start("b", false)) {
      HttpProbe http = new HttpProbe(server.uri());
      http.events(AHEAD);
      nowMicros.addAndGet(100_000_000);
      http.events(LATER);

      String warning = "1 event of b is in quarantine";
      String export = http.get("/v1/events").body();
      assertThat(export.lines().reduce((a, b) -> b))
          .get()
          .asString()
          .contains("{\"incomplete\":{\"kind\":\"quarantined\"", warning);
      assertThat(http.get("/v1/lines").body()).contains("{\"warning\"", warning);
      assertThat(http.query("SELECT message FROM l").body()).contains(warning);
      assertThat(new HttpProbe(other.uri()).events(export).status()).isEqualTo(200);
      post(http, "release", "{}");
      assertThat(http.get("/v1/events").body()).doesNotContain("incomplete");
      assertThat(http.get("/v1/lines").body()).doesNotContain("warning");
    }
  }

  @Test
  void releaseQuarantined_clockPassesTheStamps_storesTheEvents() throws Exception {
    try (LogServer server = start("a", true)) {
      HttpProbe http = new HttpProbe(server.uri());
      http.events(AHEAD);
      assertThat(http.get("/v1/admin/quarantine").body()).contains("\"a\"", "\"b\"");
      nowMicros.addAndGet(92_000_000);

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () ->
                  assertThat(http.get("/v1/admin/quarantine").body())
                      .contains("\"b\"")
                      .doesNotContain("\"a\""));
      assertThat(http.get("/v1/events").body()).contains("\"a\"").doesNotContain("\"node\":\"b\"");
    }
  }

  private LogServer start(String name, boolean release) {
    return LogServer.start(
        ServerConfig.in(directory.resolve(name))
            .port(0)
            .clock(nowMicros::get)
            .releaseQuarantined(release)
            .build());
  }

  private static String post(HttpProbe http, String action, String body) throws Exception {
    return http.post(
            "/v1/admin/quarantine/" + action,
            "application/json",
            "",
            body.getBytes(StandardCharsets.UTF_8))
        .body();
  }
}
