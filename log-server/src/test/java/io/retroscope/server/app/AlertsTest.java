// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.store.StoreMaintenance;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a receiver hears of a server's alerts, and what clients can do with them. */
@Timeout(120)
class AlertsTest {
  private static final String FAR =
      """
      -- Replicas are close.
      CREATE ALERT far WITH (summary='v is {v}') AS (NEVER SPREAD(v) >= 2 FROM m);
      """;

  @TempDir Path directory;

  private final long now = PhysicalClock.system().micros();

  /** No node falls silent because the machine is busy. */
  private Duration idle = Duration.ofHours(1);

  private String data = "data";
  private Hook hook;
  private LogServer server;
  private HttpProbe http;

  @BeforeEach
  void listen() throws IOException {
    hook = new Hook();
    Files.createDirectory(directory.resolve("rules"));
    Files.writeString(directory.resolve("receivers"), "# who\nops webhook " + hook.url() + "\n");
    rules(FAR);
  }

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
    hook.close();
  }

  private void rules(String text) throws IOException {
    Files.writeString(directory.resolve("rules/a.rql"), text);
  }

  private void start() {
    server =
        LogServer.start(
            ServerConfig.in(directory.resolve(data))
                .port(0)
                .idleTimeout(idle)
                .restartGrace(Duration.ofMillis(100))
                .alerts(
                    new AlertOptions(
                        Optional.of(directory.resolve("rules")),
                        Optional.of(directory.resolve("receivers"))))
                .build());
    http = new HttpProbe(server.uri());
  }

  /** Starts anew once what is delivered is recorded so: else it would be delivered again. */
  private void restart() throws Exception {
    await(() -> http.get("/metrics").body().contains("retroscope_notices_waiting 0.0\n"));
    server.close();
    start();
  }

  @Test
  void alert_thatRisesAndFalls_isHeardOnceEach_withTheCut() throws Exception {
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    assertThat(Hook.text(hook.messages().get(0), "summary")).isEqualTo("v is {a: 5, b: 1}");
    assertThat(Hook.text(hook.messages().get(0), "description")).isEqualTo("Replicas are close.");
    assertThat(Hook.text(hook.messages().get(0), "explanation")).contains("SPREAD(v) >= 2 is TRUE");
    post(event("b", 20, 5), event("a", 20, 5), event("a", 30, 5), event("b", 30, 5));
    awaitWords("far firing", "far resolved");
    assertThat(hook.keys()).containsExactly(id(10) + "/firing-1", id(10) + "/resolved-2");
    assertThat(hook.headers().get(0).get("Idempotency-key")).containsExactly(id(10) + "/firing-1");
    assertThat(http.get("/v1/alerts/history").body())
        .contains("\"episode\":\"" + id(10) + "\"", "\"state\":\"RESOLVED\"");
  }

  /** The value of b is gone: that a is alone does not mean that both agree. */
  @Test
  void resolution_becauseANodeStopped_saysSo() throws Exception {
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    post("{\"node\":\"b\",\"hlc\":\"%s\",\"stop\":true}\n".formatted(stamp(30)));
    post(event("a", 40, 5));
    awaitWords("far firing", "far resolved");
    assertThat(Hook.text(hook.messages().get(1), "reason"))
        .isEqualTo("node b stopped: its values no longer count");
  }

  @Test
  void restart_whileAnAlertFires_repeatsNothing_andResolvesLater() throws Exception {
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    restart();
    post(event("a", 20, 5), event("b", 20, 5), event("a", 30, 5), event("b", 30, 5));
    awaitWords("far firing", "far resolved");
    assertThat(hook.keys()).containsExactly(id(10) + "/firing-1", id(10) + "/resolved-2");
  }

  @Test
  void restart_withAnotherText_endsTheEpisode_andBeginsAnew() throws Exception {
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    rules(FAR.replace(">= 2", ">= 3"));
    restart();
    awaitWords("far firing", "far resolved");
    assertThat(Hook.text(hook.messages().get(1), "reason")).isEqualTo("the rule has changed");
    rules("-- none\n");
    restart();
    assertThat(http.query("SHOW ALERTS").body()).doesNotContain("far");
  }

  @Test
  void silentNode_whoseValueCounts_letsNothingResolve_untilItIsBack() throws Exception {
    idle = Duration.ofMillis(300);
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    // Only a continues: b is silent, and a's return to 1 ends the episode as far as is known.
    for (int i = 2; i < 8; i++) {
      post(event("a", 1_000L * i, i < 4 ? 5 : 1));
      Thread.sleep(150);
    }
    // So may a be by then.
    await(() -> http.get("/v1/alerts").body().matches("(?s).*partial: (a, )?b silent.*"));
    await(() -> http.get("/v1/alerts").body().contains("recovering"));
    assertThat(hook.words()).containsExactly("far firing");
    // b had changed meanwhile: the episode ended only later.
    post(event("b", 5_500, 9), event("b", 9_000, 1), event("a", 9_000, 1), event("b", 9_500, 1));
    post(event("a", 9_500, 1));
    await(() -> hook.believed().equals(Map.of(id(10), stamp(4_000), id(5_500), stamp(9_000))));
    assertThat(hook.words()).doesNotContain("far resolved!");
  }

  @Test
  void lateEvent_thatUndoesAnEpisode_isACorrection() throws Exception {
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 1_000, 5), event("b", 2_000, 5));
    post(event("a", 2_000, 5));
    // Both edges may be stored before the first is sent; then only the last one is.
    await(() -> hook.words().contains("far resolved"));
    post(event("b", 500, 4), event("b", 3_000, 5), event("a", 3_000, 5));
    await(() -> hook.words().contains("far resolved!"));
    await(() -> hook.believed().equals(Map.of(id(500), stamp(1_000))));
  }

  @Test
  void receiver_thatFails_getsEachMessageInOrder_andOnlyTheLastOfAnEpisode() throws Exception {
    hook.answering(request -> 500);
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 20, 5));
    post(event("a", 30, 9), event("b", 30, 5));
    await(() -> http.query("DESCRIBE ALERT far").body().contains("0 sent, 3 waiting"));
    // An attempt that began when the first message waited alone is over.
    await(() -> hook.bodies().stream().anyMatch(body -> body.contains("resolved")));
    hook.answering(request -> 200);
    awaitWords("far resolved", "far firing");
    restart();
    post(event("a", 40, 5), event("b", 40, 5), event("a", 50, 5), event("b", 50, 5));
    awaitWords("far resolved", "far firing", "far resolved");
  }

  @Test
  void receiver_thatRedirects_isNotFollowed() throws Exception {
    hook.answering(request -> request < 1 ? 307 : 200);
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    assertThat(hook.bodies()).hasSize(2);
    assertThat(hook.paths()).containsOnly("/");
  }

  @Test
  void statements_createAcknowledgeMuteAndDropAnAlert() throws Exception {
    rules("-- none\n");
    start();
    post(event("a", 0, 1), event("b", 0, 1));
    String create = "CREATE ALERT high AS (NEVER v@n >= 5 FROM m FOR EACH NODE n)";
    assertThat(http.query(create).status()).isEqualTo(200);
    assertThat(http.query(create).body()).contains("RQL0323", "there is an alert high");
    post(event("a", 10, 5), event("b", 10, 5), event("a", 20, 5), event("b", 20, 5));
    awaitWords("high[a] firing", "high[b] firing");
    assertThat(http.query("ACKNOWLEDGE ALERT high FOR 'a'").body()).contains("high[a]@");
    assertThat(http.query("SHOW ALERTS").body()).contains("\"acknowledgedBy\":\"anybody\"");
    assertThat(http.query("MUTE ALERT high FOR 1h").body()).contains("mutedUntil");
    post(event("a", 30, 1), event("b", 30, 1), event("a", 40, 6), event("b", 40, 1));
    awaitWords("high[a] firing", "high[b] firing", "high[a] resolved", "high[b] resolved");
    restart();
    assertThat(http.query("DESCRIBE ALERT high").body()).contains("\"anybody\"");
    assertThat(http.query("DROP ALERT hihg").body()).contains("did you mean high?");
    assertThat(http.query("DROP ALERT high").status()).isEqualTo(200);
    assertThat(http.query("SHOW ALERTS").body()).doesNotContain("high");
    restart();
    assertThat(http.query("SHOW ALERTS").body()).doesNotContain("high");
  }

  @Test
  void describe_ofAnAlert_hasOnlyItsReceivers() throws Exception {
    Files.writeString(
        directory.resolve("receivers"),
        "ops webhook %s\nchat webhook %s\n".formatted(hook.url(), hook.url()));
    rules(
        "CREATE ALERT high WITH (notify='ops') AS (NEVER v@n >= 5 FROM m FOR EACH NODE n);" + FAR);
    start();
    assertThat(http.query("DESCRIBE ALERT high").body())
        .contains("receiver ops")
        .doesNotContain("receiver chat");
    assertThat(http.query("DESCRIBE ALERT far").body()).contains("receiver ops", "receiver chat");
  }

  @Test
  void rules_thatAreWrong_preventTheStart_andChangeNothingLater() throws Exception {
    rules(FAR.replace(">=", "=>"));
    assertThatThrownBy(this::start)
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("a.rql:2")
        .hasMessageContaining("^");
    rules(FAR);
    start();
    rules(FAR + "CREATE ALERT;");
    await(() -> http.get("/v1/health").body().contains("the files of rules are wrong"));
    assertThat(http.query("CREATE ALERT own AS (NEVER v@n >= 5 FROM m FOR EACH NODE n)").status())
        .isEqualTo(200);
    assertThat(http.query("SHOW ALERTS").body().lines().filter(line -> line.contains("a.rql:3")))
        .singleElement()
        .asString()
        .contains("\"far\"", "\"health\":\"error: evaluated with its earlier text: ");
    assertThat(http.query("DROP ALERT far").body()).contains("is defined by a file");
    rules(FAR + "CREATE ALERT high AS (NEVER v@n >= 5 FROM m FOR EACH NODE n);");
    await(() -> http.query("SHOW ALERTS").body().contains("high"));
    await(() -> http.get("/v1/health").body().contains("\"ready\":true"));
    assertThat(http.get("/v1/alerts").body()).doesNotContain("error: ");
  }

  @Test
  void rules_withOneNameInTwoFiles_preventTheStart_withBothPlaces() throws Exception {
    Path other = directory.resolve("rules/b.rql");
    Files.writeString(other, "-- Again.\n" + FAR);
    assertThatThrownBy(this::start)
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("b.rql:3")
        .hasMessageContaining("the first is at " + directory.resolve("rules/a.rql") + ":2");
    Files.delete(other);
    start();
    Files.writeString(other, FAR);
    await(() -> http.get("/v1/health").body().contains("a.rql:2"));
    assertThat(http.query("DESCRIBE ALERT far").body()).contains("b.rql:2 is wrong");
  }

  /** Events may still name them, but they may also be misspelt. */
  @Test
  void alert_withNamesThatNoEventHasNamed_isAccepted_withAdvice() throws Exception {
    rules("CREATE ALERT old AS (NEVER MAX(staleness) >= 5 FROM mm);");
    start();
    post(event("a", 0, 1).replace("\"v\"", "\"staleness\""));
    String create = "CREATE ALERT high AS (NEVER MAX(stalenes) >= 5 FROM m)";
    assertThat(http.query(create).body())
        .contains("created", "no variable stalenes in m so far; did you mean staleness?");
    assertThat(http.query("DESCRIBE ALERT high").body()).contains("did you mean staleness?");
    assertThat(http.query("DESCRIBE ALERT old").body())
        .contains("no log mm so far; did you mean m?");
    post(event("a", 10, 1).replace("\"v\"", "\"stalenes\""));
    assertThat(http.query("DESCRIBE ALERT high").body()).doesNotContain("did you mean");
  }

  /** With FOR, a predicate that holds fires later, or never. */
  @Test
  void predicate_thatHoldsTooShortlySoFar_isPending() throws Exception {
    rules("CREATE ALERT high AS (NEVER v@n >= 5 FOR 1s FROM m FOR EACH NODE n);");
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 20, 1));
    awaitStates("high a pending " + stamp(10));
    assertThat(http.query("ACKNOWLEDGE ALERT high").body()).doesNotContain("high[a]");
    post(event("b", 900, 6), event("a", 1_020, 5), event("b", 1_020, 6));
    awaitStates("high a firing " + stamp(10), "high b pending " + stamp(900));
    post(event("b", 1_030, 1), event("a", 1_040, 1), event("b", 1_050, 1));
    awaitStates("high  inactive ");
    awaitWords("high[a] firing", "high[a] resolved");
  }

  private void awaitStates(String... rows) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(states()).containsExactlyInAnyOrder(rows));
  }

  /** Alert, item, state and since of each row. */
  private List<String> states() throws Exception {
    StructValue all = (StructValue) JsonValues.parse(http.get("/v1/alerts").body());
    return ((SetValue) all.fields().get("alerts"))
        .elements().stream()
            .map(StructValue.class::cast)
            .map(
                row ->
                    "%s %s %s %s"
                        .formatted(
                            Hook.text(row, "alert"),
                            Hook.text(row, "item"),
                            Hook.text(row, "state"),
                            Hook.text(row, "since")))
            .toList();
  }

  @Test
  void test_ofAnAlert_sendsAMarkedMessage() throws Exception {
    start();
    byte[] body = "{\"alert\":\"far\"}".getBytes(StandardCharsets.UTF_8);
    assertThat(http.post("/v1/alerts/test", "application/json", "", body).body())
        .isEqualTo("{\"receivers\":{\"ops\":\"\"}}");
    assertThat(hook.bodies().get(0)).contains("\"test\":true");
    hook.answering(request -> 503);
    assertThat(http.post("/v1/alerts/test", "application/json", "", body).body())
        .contains("answered 503");
  }

  /** 1,000 episodes in a second of stamps. */
  @Test
  void storm_ofEpisodes_makesFewBoundedRequests_andIsStoredWhole() throws Exception {
    start();
    post(event("a", 0, 1), event("b", 0, 1));
    for (int batch = 0; batch < 10; batch++) {
      StringBuilder events = new StringBuilder();
      for (int i = 0; i < 100; i++) {
        long micros = 1_000 + 1_000 * (100L * batch + i);
        events.append(eventAt("a", micros, 5)).append(eventAt("a", micros + 500, 1));
      }
      post(events.toString(), event("b", 100L * (batch + 1), 1));
    }
    post(event("a", 2_000, 1), event("b", 2_000, 1));
    await(() -> http.query("DESCRIBE ALERT far").body().contains(" 0 waiting"));
    await(() -> hook.believed().size() == 1_000 && !hook.believed().containsValue("holds"));
    assertThat(hook.bodies().size()).isLessThan(500);
    assertThat(hook.bodies()).allMatch(body -> body.length() < 500_000);
    String history = http.get("/v1/alerts/history?count=2000").body();
    assertThat(history.split("\"state\":\"RESOLVED\"", -1)).hasSize(1_001);
  }

  /** After a long downtime, people need to know what holds, and not each thing that was. */
  @Test
  void episodesThatEndedLongAgo_areOneMessage_andThoseThatHoldAreSent() throws Exception {
    rules("CREATE ALERT high AS (NEVER v@n >= 5 FROM m FOR EACH NODE n);");
    start();
    long past = -TimeUnit.HOURS.toMillis(3);
    StringBuilder events = new StringBuilder(event("a", past, 1) + event("b", past, 1));
    for (int i = 0; i < 3; i++) {
      events.append(event("a", past + 1_000 * i + 100, 5));
      events.append(event("a", past + 1_000 * i + 200, 1));
    }
    events.append(event("b", past + 5_000, 5)).append(event("a", past + 6_000, 1));
    post(events.append(event("b", past + 6_000, 5)).toString());
    await(() -> hook.words().size() == 2);
    assertThat(hook.words()).containsExactlyInAnyOrder("high[b] firing", "high resolved");
    StructValue summary =
        hook.messages().stream().filter(m -> m.fields().containsKey("episodes")).findFirst().get();
    String range = "high@" + stamp(past + 100) + ".." + stamp(past + 2_200);
    assertThat(summary.fields()).containsEntry("episodes", Value.of(3));
    assertThat(Hook.text(summary, "key")).isEqualTo(range + "/summary");
    assertThat(Hook.text(summary, "summary")).isEqualTo("3 episodes that ended long ago");
    assertThat(Hook.text(summary, "command")).startsWith("retroscope alerts history 'high' ");
    assertThat(http.get("/v1/alerts/history").body().split("\"state\":\"RECORDED\"", -1))
        .hasSize(4);
    restart();
    post(event("a", past + 7_000, 1), event("b", past + 7_000, 1));
    post(event("a", past + 8_000, 1), event("b", past + 8_000, 1));
    await(() -> hook.words().size() == 3);
    assertThat(hook.words()).endsWith("high[b] resolved");
  }

  @Test
  void restoredBackup_ofAServerThatFires_continuesWithTheSameKeys() throws Exception {
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    await(() -> http.query("DESCRIBE ALERT far").body().contains("1 sent, 0 waiting"));
    server.close();
    StoreMaintenance.backup(directory.resolve("data"), directory.resolve("backups"));
    StoreMaintenance.restore(directory.resolve("backups"), directory.resolve("elsewhere"));
    data = "elsewhere";
    start();
    post(event("a", 20, 5), event("b", 20, 5), event("a", 30, 5), event("b", 30, 5));
    awaitWords("far firing", "far resolved");
    assertThat(hook.keys()).containsExactly(id(10) + "/firing-1", id(10) + "/resolved-2");
  }

  @Test
  void node_withAClockFarAhead_resolvesNothing_andTheHealthSaysSo() throws Exception {
    idle = Duration.ofMillis(300);
    start();
    post(event("a", 0, 1), event("b", 0, 1), event("a", 10, 5), event("b", 10, 1));
    awaitWords("far firing");
    // c alone continues, 30 s ahead: its events must not let the watermark pass those of a and b.
    for (int i = 0; i < 10; i++) {
      post(event("c", 30_000 + i, 5));
      Thread.sleep(100);
    }
    await(() -> !http.get("/v1/alerts").body().contains("\"health\":\"ok\""));
    post(event("a", 2_000, 5), event("b", 2_000, 1));
    assertThat(hook.words()).containsExactly("far firing");
  }

  @Test
  void receivers_thatAreWrong_preventTheStart_withTheLine() throws Exception {
    Files.writeString(directory.resolve("receivers"), "ops webhok http://127.0.0.1:1\n");
    assertThatThrownBy(this::start)
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("receivers, line 1: there is no kind webhok");
  }

  private String id(long afterMillis) {
    return "far@" + stamp(afterMillis);
  }

  private String stamp(long afterMillis) {
    return HlcTimestamp.text(HlcTimestamp.pack(now + 1_000 * afterMillis));
  }

  private String event(String node, long afterMillis, int v) {
    return eventAt(node, 1_000 * afterMillis, v);
  }

  private String eventAt(String node, long afterMicros, int v) {
    return "{\"node\":\"%s\",\"log\":\"m\",\"hlc\":\"%s\",\"set\":{\"v\":%d}}\n"
        .formatted(node, HlcTimestamp.text(HlcTimestamp.pack(now + afterMicros)), v);
  }

  private void post(String... events) throws IOException, InterruptedException {
    HttpProbe.Reply reply = http.events(String.join("", List.of(events)));
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }

  private void awaitWords(String... words) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(hook.words()).containsExactly(words));
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
  }
}
