// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retroscope.recorder.Recorder;
import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.app.RawHttp.Reply;
import io.retroscope.server.store.StoreMaintenance;
import io.retroscope.sink.HttpSink;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of tokens on a running server. */
@Timeout(60)
class AccessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String OTHER = "fedcba9876543210fedcba9876543210";
  private static final String NDJSON = "Content-Type: application/x-ndjson";
  private static final String RQL = "Content-Type: application/rql";
  private static final String JSON = "Content-Type: application/json";

  @TempDir Path directory;

  private Path tokens(String text) throws IOException {
    Path file = directory.resolve("tokens");
    Files.writeString(file, text + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  private LogServer start(AccessOptions access) {
    return start("127.0.0.1", access);
  }

  private LogServer start(String host, AccessOptions access) {
    return LogServer.start(
        ServerConfig.in(directory.resolve("data")).host(host).port(0).access(access).build());
  }

  private static Reply post(LogServer server, String path, String body, String... headers)
      throws IOException {
    return new RawHttp(server.port()).send("POST", path, body, headers);
  }

  private static String bearer(String token) {
    return "Authorization: Bearer " + token;
  }

  private static String lines(int from, int count) {
    StringBuilder lines = new StringBuilder();
    for (int i = from; i < from + count; i++) {
      lines.append(
          "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"179520000000%04d.0\",\"set\":{\"x\":1}}\n"
              .formatted(i));
    }
    return lines.toString();
  }

  @Test
  void start_beyondLoopbackWithoutTokens_isRefusedAndSaysHow() {
    for (String host : List.of("0.0.0.0", "::", "192.0.2.1")) {
      assertThatThrownBy(() -> start(host, AccessOptions.DEFAULT))
          .isInstanceOf(ServerException.class)
          .hasMessageContaining("other machines reach " + host)
          .hasMessageContaining("--tokens FILE")
          .hasMessageContaining("chmod 600");
    }
    assertThat(directory.resolve("data")).doesNotExist();
  }

  @Test
  void start_beyondLoopbackWithTokens_letsOnlyTheirHoldersIn() throws Exception {
    AccessOptions access = AccessOptions.DEFAULT.withTokenFile(tokens("web write,read " + TOKEN));
    try (LogServer server = start("0.0.0.0", access)) {
      assertThat(post(server, "/v1/events", lines(0, 1), NDJSON).status()).isEqualTo(401);
      assertThat(post(server, "/v1/events", lines(0, 1), NDJSON, bearer(TOKEN)).status())
          .isEqualTo(200);
    }
  }

  @Test
  void start_loopbackByAnotherAddress_needsNoToken() {
    start("127.0.0.2", AccessOptions.DEFAULT).close();
  }

  @Test
  void otlp_asJson_needsAToken() throws Exception {
    AccessOptions access = AccessOptions.DEFAULT.withTokenFile(tokens("web write " + TOKEN));
    try (LogServer server = start(access)) {
      String body = "{\"resourceLogs\":[]}";
      assertThat(post(server, "/v1/logs", body, JSON).status()).isEqualTo(401);
      assertThat(post(server, "/v1/logs", body, JSON, bearer(TOKEN)).status()).isEqualTo(200);
      Reply refused = post(server, "/v1/logs", "level=info", JSON, bearer(TOKEN));
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.text()).contains("application/problem+json");
    }
  }

  /**
   * A page with a form or a script can send this to every server that its visitor can connect to.
   */
  @Test
  void post_asAWebPageSendsIt_isNotStored() throws Exception {
    try (LogServer server = start(AccessOptions.DEFAULT)) {
      String page = "Origin: https://evil.example";
      assertThat(post(server, "/v1/events", lines(0, 1), page).status()).isEqualTo(403);
      assertThat(post(server, "/v1/events", lines(0, 1)).status()).isEqualTo(415);
      assertThat(new HttpProbe(server.uri()).get("/v1/events").body()).isEmpty();
      assertThat(post(server, "/v1/events", lines(0, 1), NDJSON).status()).isEqualTo(200);
    }
  }

  @Test
  void query_jsonWithItsField_isAnswered() throws Exception {
    try (LogServer server = start(AccessOptions.DEFAULT)) {
      post(server, "/v1/events", lines(0, 1), NDJSON);

      assertThat(post(server, "/v1/query", "{\"query\":\"SELECT x FROM l\"}", JSON).text())
          .contains("\"x\":{\"a\":1}");
      assertThat(post(server, "/v1/query", "SELECT x FROM l", JSON).text())
          .contains("\"status\":400", "like {\\\"query\\\":");
      assertThat(post(server, "/v1/query", "{\"query\":7}", JSON).status()).isEqualTo(400);
      assertThat(
              post(server, "/v1/query", "SELECT x FROM l", "Content-Type: Application/RQL; a=b")
                  .status())
          .isEqualTo(200);
    }
  }

  @Test
  void tokens_replacedFile_holdsWithoutARestart() throws Exception {
    AccessOptions access = AccessOptions.DEFAULT.withTokenFile(tokens("web write " + TOKEN));
    try (LogServer server = start(access)) {
      assertThat(post(server, "/v1/events", lines(0, 1), NDJSON, bearer(TOKEN)).status())
          .isEqualTo(200);
      tokens("web write " + OTHER);

      await()
          .atMost(PATIENCE)
          .until(
              () -> post(server, "/v1/events", lines(1, 1), NDJSON, bearer(OTHER)).status() == 200);
      assertThat(post(server, "/v1/events", lines(2, 1), NDJSON, bearer(TOKEN)).status())
          .isEqualTo(401);
    }
  }

  /** A recorder keeps its connection for weeks, so a revoked token must end it. */
  @Test
  void socket_tokenThatIsReplaced_isNotBelievedAnyMore() throws Exception {
    AccessOptions access = AccessOptions.DEFAULT.withTokenFile(tokens("web write,read " + TOKEN));
    Path own = Files.writeString(directory.resolve("own"), TOKEN);
    try (LogServer server = start(access)) {
      HttpSink sink = HttpSink.builder().server(server.uri()).tokenFile(own).build();
      Recorder recorder = Recorder.builder().node("a").sink(sink).build();
      recorder.log("l").set("x", 1);
      await().atMost(PATIENCE).until(() -> export(server, TOKEN).contains("\"x\":1"));
      tokens("web write,read " + OTHER);
      await().atMost(PATIENCE).until(() -> export(server, OTHER).contains("\"x\":1"));
      recorder.log("l").set("x", 2);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(sink.statistics().lastFailure()).contains("401"));
      assertThat(export(server, OTHER)).doesNotContain("\"x\":2");

      Files.writeString(own, OTHER);
      await().atMost(PATIENCE).until(() -> export(server, OTHER).contains("\"x\":2"));
      recorder.close();
    }
  }

  private static String export(LogServer server, String token) throws IOException {
    return new RawHttp(server.port()).send("GET", "/v1/events", "", bearer(token)).text();
  }

  @Test
  void quota_moreEventsThanAllowed_areRefusedUntilTheRateIsKept() throws Exception {
    AccessOptions access =
        AccessOptions.DEFAULT.withTokenFile(
            tokens("web write " + TOKEN + " events/s=10\nfree write,read " + OTHER));
    try (LogServer server = start(access)) {
      assertThat(post(server, "/v1/events", lines(0, 600), NDJSON, bearer(TOKEN)).status())
          .isEqualTo(200);
      Reply refused = post(server, "/v1/events", lines(600, 1), NDJSON, bearer(TOKEN));
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.text()).containsPattern("(?i)retry-after: ([3-5]\\d|60)\r\n");
      assertThat(post(server, "/v1/events", lines(600, 1), NDJSON, bearer(OTHER)).status())
          .isEqualTo(200);
      assertThat(refusals(server, OTHER)).contains("{token=\"web\"} 1.0\n").doesNotContain("free");
    }
  }

  @Test
  void quota_moreBytesThanAllowed_areRefused() throws Exception {
    AccessOptions access =
        AccessOptions.DEFAULT.withTokenFile(tokens("web write " + TOKEN + " bytes/s=100"));
    try (LogServer server = start(access)) {
      assertThat(post(server, "/v1/events", lines(0, 200), NDJSON, bearer(TOKEN)).status())
          .isEqualTo(200);
      assertThat(post(server, "/v1/events", lines(200, 1), NDJSON, bearer(TOKEN)).status())
          .isEqualTo(429);
    }
  }

  @Test
  void quota_moreQueriesThanAllowed_areRefusedUntilOneEnds() throws Exception {
    AccessOptions access =
        AccessOptions.DEFAULT.withTokenFile(
            tokens("web read " + TOKEN + " queries=1\nfree write,read " + OTHER));
    try (LogServer server = start(access)) {
      String load = lines(0, 600).replace("\"l\"", "\"load\"");
      assertThat(post(server, "/v1/events", load, NDJSON, bearer(OTHER)).status()).isEqualTo(200);
      String endless = ClumsyTrafficTest.MONSTROUS;
      try (RawConnection first = new RawConnection(server.uri())) {
        first.send(
            RawConnection.post("/v1/query", "application/rql", endless.length())
                    .replace("\r\n\r\n", "\r\n" + bearer(TOKEN) + "\r\n\r\n")
                + endless);
        await().atMost(PATIENCE).until(() -> runs(server, endless));
        assertThat(query(server, TOKEN)).isEqualTo(429);
        assertThat(query(server, OTHER)).isEqualTo(200);
      }
      await().atMost(PATIENCE).until(() -> query(server, TOKEN) == 200);
    }
  }

  private static boolean runs(LogServer server, String query) throws IOException {
    return post(server, "/v1/query", "SHOW QUERIES", RQL, bearer(OTHER)).text().contains(query);
  }

  private static int query(LogServer server, String token) throws IOException {
    return post(server, "/v1/query", "SELECT x FROM load LIMIT 1", RQL, bearer(token)).status();
  }

  @Test
  void quota_moreStreamsThanAllowed_areRefusedUntilOneEnds() throws Exception {
    AccessOptions access =
        AccessOptions.DEFAULT.withTokenFile(tokens("web read " + TOKEN + " streams=1"));
    try (LogServer server = start(access)) {
      assertThat(stream(server, 2).statusCode()).isEqualTo(429);
      assertThat(stream(server, 9).statusCode()).isEqualTo(400);
      HttpResponse<InputStream> stream = stream(server);
      assertThat(stream.statusCode()).isEqualTo(200);
      assertThat(stream(server).statusCode()).isEqualTo(429);
      assertThat(refusals(server, TOKEN)).contains("{token=\"web\"} 2.0\n");
      stream.body().close();
      await().atMost(PATIENCE).until(() -> stream(server).statusCode() == 200);
    }
  }

  private static String refusals(LogServer server, String token) throws IOException {
    String text = new RawHttp(server.port()).send("GET", "/metrics", "", bearer(token)).text();
    return text.replaceAll("(?m)^(?!retroscope_quota_refused_total).*\\R?", "");
  }

  private static HttpResponse<InputStream> stream(LogServer server) throws Exception {
    return stream(server, 1);
  }

  private static HttpResponse<InputStream> stream(LogServer server, int queries) throws Exception {
    String query = "query=SELECT%20STREAM%20x%20FROM%20l&";
    URI uri = server.uri().resolve("/v1/stream?" + query.repeat(queries));
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(uri).header("Authorization", "Bearer " + TOKEN).build(),
            HttpResponse.BodyHandlers.ofInputStream());
  }

  @Test
  void metrics_openOnDemand_needNoToken() throws Exception {
    AccessOptions open =
        new AccessOptions(
            Optional.empty(),
            Optional.of("web write " + TOKEN),
            Optional.empty(),
            List.of("retro.internal"),
            true,
            Optional.empty(),
            Optional.empty());
    try (LogServer server = start(open)) {
      RawHttp http = new RawHttp(server.port());
      assertThat(http.send("GET", "/metrics", "").status()).isEqualTo(200);
      assertThat(http.send("GET", "/metrics", "", "Host: retro.internal").status()).isEqualTo(200);
      assertThat(http.send("GET", "/v1/logs", "").status()).isEqualTo(401);
    }
  }

  @Test
  void admin_backup_writesBelowItsFolderOnly() throws Exception {
    Path backups = Files.createDirectory(directory.resolve("backups"));
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.createSymbolicLink(backups.resolve("link"), elsewhere);
    AccessOptions access =
        new AccessOptions(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            false,
            Optional.empty(),
            Optional.of(backups));
    try (LogServer server = start(access)) {
      post(server, "/v1/events", lines(0, 3), NDJSON);
      for (String name :
          List.of("..", "../elsewhere", "/tmp/x", "a/b", "", ".hidden", "link", "a\\u0000b")) {
        assertThat(post(server, "/v1/admin/backup", "{\"name\":\"" + name + "\"}", JSON).status())
            .as(name)
            .isEqualTo(400);
      }
      assertThat(post(server, "/v1/admin/backup", "[]", JSON).status()).isEqualTo(400);
      assertThat(elsewhere).isEmptyDirectory();

      assertThat(post(server, "/v1/admin/backup", "{\"name\":\"nightly\"}", JSON).status())
          .isEqualTo(200);
    }
    StoreMaintenance.restore(backups.resolve("nightly"), directory.resolve("restored"));
    assertThat(StoreMaintenance.stats(directory.resolve("restored"))).contains("events: 3");
    assertThat(Files.getPosixFilePermissions(backups.resolve("nightly")))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void admin_statsAndCompact_workWhileEventsArrive() throws Exception {
    try (LogServer server = start(AccessOptions.DEFAULT)) {
      post(server, "/v1/events", lines(0, 3), NDJSON);

      assertThat(post(server, "/v1/admin/compact", "{}", JSON).text())
          .endsWith("{\"compacted\":true}");
      assertThat(post(server, "/v1/admin/backup", "{\"name\":\"x\"}", JSON).text())
          .contains("--backup-dir FOLDER");
      assertThat(new HttpProbe(server.uri()).get("/v1/admin/stats").body())
          .contains(
              "\"blocks\":1", "\"events\":3", "\"nodes\":1", "\"firstHlc\":\"1795200000000000.0\"");
    }
  }

  @Test
  void admin_everything_isInTheAuditWithoutTheToken() throws Exception {
    AccessOptions access =
        AccessOptions.DEFAULT.withTokenFile(tokens("op admin " + TOKEN + "\nweb read " + OTHER));
    ListAppender<ILoggingEvent> audit = beginAudit();
    try (LogServer server = start(access)) {
      post(server, "/v1/admin/compact", "{}", JSON, bearer(TOKEN));
      post(server, "/v1/admin/compact", "{}", JSON, bearer(OTHER));
      post(server, "/v1/admin/compact", "{}", JSON);
      post(server, "/v1/admin/backup", "{}", JSON, bearer(TOKEN));
      assertThat(post(server, "/v1/query", "FORGET NODE\n a;", RQL, bearer(OTHER)).status())
          .isEqualTo(403);
      post(server, "/v1/query", "FORGET NODE\n a;", RQL, bearer(TOKEN));
    }
    assertThat(endAudit(audit))
        .containsExactly(
            "done POST /v1/admin/compact by op from 127.0.0.1",
            "refused POST /v1/admin/compact by web from 127.0.0.1",
            "refused POST /v1/admin/compact by an unknown caller from 127.0.0.1",
            "failed POST /v1/admin/backup by op from 127.0.0.1",
            "refused FORGET NODE? a; by web from 127.0.0.1",
            "allowed FORGET NODE? a; by op from 127.0.0.1");
  }

  @Test
  void alerts_acknowledgedAndMuted_areInTheAuditWithTheTokensName() throws Exception {
    AccessOptions access =
        AccessOptions.DEFAULT.withTokenFile(
            tokens(
                "night write,read %s\nweb read %s\nop admin,read %s"
                    .formatted(TOKEN, OTHER, TOKEN + OTHER)));
    ListAppender<ILoggingEvent> audit = beginAudit();
    try (LogServer server = start(access)) {
      String create = "CREATE ALERT high AS (NEVER x@n >= 5 FROM l FOR EACH NODE n)";
      assertThat(post(server, "/v1/query", create, RQL, bearer(TOKEN + OTHER)).status())
          .isEqualTo(200);
      for (String token : List.of(TOKEN, TOKEN + OTHER, OTHER)) {
        int status = token.equals(OTHER) ? 403 : 200;
        for (String statement : List.of("ACKNOWLEDGE ALERT high", "MUTE ALERT high FOR 1h")) {
          assertThat(post(server, "/v1/query", statement, RQL, bearer(token)).status())
              .isEqualTo(status);
        }
        String path = "/v1/alerts/";
        String alert = "{\"alert\":\"high\",\"seconds\":9}";
        for (String action : List.of("acknowledge", "mute")) {
          assertThat(post(server, path + action, alert, JSON, bearer(token)).status())
              .isEqualTo(status);
        }
      }
    }
    assertThat(endAudit(audit))
        .map(line -> line.replaceAll("\\d{4}-[^ ]*Z", "T"))
        .containsExactly(
            "allowed CREATE ALERT high AS (NEVER x@n >= 5 FROM l FOR EACH NODE n) by op from"
                + " 127.0.0.1",
            "allowed ACKNOWLEDGE ALERT high by night from 127.0.0.1",
            "alert high was acknowledged by night: []",
            "allowed MUTE ALERT high FOR 1h by night from 127.0.0.1",
            "alert high was muted until T by night",
            "alert high was acknowledged by night: []",
            "alert high was muted until T by night",
            "allowed ACKNOWLEDGE ALERT high by op from 127.0.0.1",
            "alert high was acknowledged by op: []",
            "allowed MUTE ALERT high FOR 1h by op from 127.0.0.1",
            "alert high was muted until T by op",
            "alert high was acknowledged by op: []",
            "alert high was muted until T by op",
            "refused ACKNOWLEDGE ALERT high by web from 127.0.0.1",
            "refused MUTE ALERT high FOR 1h by web from 127.0.0.1",
            "refused POST /v1/alerts/acknowledge by web from 127.0.0.1",
            "refused POST /v1/alerts/mute by web from 127.0.0.1");
  }

  private static ListAppender<ILoggingEvent> beginAudit() {
    Logger audit = (Logger) LoggerFactory.getLogger("audit");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    audit.addAppender(lines);
    audit.setLevel(Level.INFO);
    return lines;
  }

  private static List<String> endAudit(ListAppender<ILoggingEvent> lines) {
    ((Logger) LoggerFactory.getLogger("audit")).detachAppender(lines);
    return new ArrayList<>(lines.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void dataDirectory_isTheOwnersAlone() throws Exception {
    Path data = Files.createDirectory(directory.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));

    start(AccessOptions.DEFAULT).close();

    assertThat(Files.getPosixFilePermissions(data))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }
}
