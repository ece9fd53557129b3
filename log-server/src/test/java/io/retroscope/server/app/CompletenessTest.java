// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.Value;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of verdicts on a server to which something has not come. Times are seconds of a run. */
@Timeout(60)
class CompletenessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final String ONE_HOLDER =
      "NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease ON TIME hlc'%s' TO hlc'%s';";

  private final AtomicLong nowMicros = new AtomicLong(START_MICROS);
  @TempDir Path directory;
  private LogServer server;
  private HttpProbe http;

  @BeforeEach
  void start() {
    server =
        LogServer.start(
            ServerConfig.in(directory)
                .port(0)
                .clock(nowMicros::get)
                .monotonicClock(() -> nowMicros.get() * 1_000)
                .idleTimeout(Duration.ofSeconds(1))
                .releaseQuarantined(false)
                .build());
    http = new HttpProbe(server.uri());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void verdict_aNodeIsCutOff_isInconclusiveUntilItsEventsArrive() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    heartbeat("b", 1, 1);
    holds("a", 2, 5, true); // b has held the lease from 2 s to 4 s, and cannot send it.
    at(5);

    assertThat(oneHolder(0, 4))
        .contains("\"inconclusive\"", "node b is silent since 2026-11-20T18:40:01.000000Z");
    assertThat(oneHolder(0, 0.9)).contains("\"holds\"").doesNotContain("silent");
    holds("b", 2, 2, true);
    holds("b", 3, 4, false);
    assertThat(oneHolder(0, 4)).contains("\"broken\"").doesNotContain("provisional");
  }

  @Test
  void verdict_aSilentNodeOfAnotherLog_decides() throws Exception {
    holds("a", 1, 0, true);
    send(1, 0, change("other", 0, "app", "x", Value.of(1)));
    holds("a", 2, 5, true);
    at(5);

    assertThat(oneHolder(0, 4)).contains("\"holds\"");
    assertThat(query("NEVER MAX(x) > 1 FROM app ON TIME hlc'%s' TO hlc'%s';", 0, 4))
        .contains("\"inconclusive\"", "node other is silent");
  }

  @Test
  void verdict_aSilentNodeThatTheClaimDoesNotRead_decides() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    holds("a", 2, 5, true);
    at(5);

    assertThat(query("ALWAYS holds@a FROM lease ON TIME hlc'%s' TO hlc'%s';", 0, 4))
        .contains("\"holds\"");
    assertThat(
            query(
                "ALWAYS COUNT(holds) = 1 FROM lease AT NODES a ON TIME hlc'%s' TO hlc'%s';", 0, 4))
        .contains("\"holds\"");
  }

  @Test
  void verdict_whatWasFoundMayBeUndone_isProvisional() throws Exception {
    holds("b", 1, 0, true);
    holds("a", 1, 3, true); // b gave the lease up at 2 s, which has not come.
    heartbeat("a", 1, 5);
    at(5);

    assertThat(oneHolder(0, 4)).contains("\"broken\"", "provisional: node b is silent since");
    holds("b", 2, 2, false);
    heartbeat("b", 2, 5);
    assertThat(oneHolder(0, 4)).contains("\"holds\"").doesNotContain("provisional");
  }

  @Test
  void verdict_theNodeStartsAgain_decides() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    holds("a", 2, 5, true);
    at(5);
    assertThat(oneHolder(0, 4)).contains("\"inconclusive\"");

    run = "second";
    send(1, 5, start("b", 4.5, "second"));
    at(6);
    assertThat(oneHolder(0, 4))
        .contains("\"holds\"", "a run of node b ended without a stop after 2026-11-20T18:40:00");
  }

  @Test
  void verdict_theNextStartSendsWhatIsLeft_isInconclusiveUntilTheStop() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    heartbeat("b", 1, 1);
    run = "second";
    send(
        1, 4, new Event("b", "", hlc(4), new EventBody.Start("second", 0, "first", Spill.PENDING)));
    heartbeat("b", 1, 6);
    run = "first";
    holds("a", 2, 6, true);
    at(6);
    assertThat(oneHolder(0, 3)).contains("\"inconclusive\"", "node b is silent since");

    holds("b", 2, 2, true);
    send(3, 3, new Event("b", "", hlc(3), new EventBody.Stop()));
    at(6);
    assertThat(oneHolder(0, 3.5)).contains("\"broken\"").doesNotContain("provisional");
  }

  @Test
  void verdict_theNodeIsForgotten_decides() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    holds("a", 2, 5, true);
    at(5);
    assertThat(http.query("FORGET NODE b;").status()).isEqualTo(200);

    assertThat(oneHolder(0, 4)).contains("\"holds\"");
  }

  @Test
  void verdict_aNodeIsForgottenOfWhichABlockIsMissing_isInconclusive() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    holds("b", 3, 3, false);
    holds("a", 2, 5, true);
    at(5);
    assertThat(http.query("FORGET NODE b;").status()).isEqualTo(200);

    assertThat(oneHolder(0, 4)).contains("\"inconclusive\"", "events of node b are lost between");
  }

  @Test
  void verdict_aBlockOfAStoppedNodeNeverArrives_isInconclusiveForGood() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    send(3, 4, new Event("b", "", hlc(4), Event.NO_PHYSICAL, 4, Set.of(), new EventBody.Stop()));
    holds("a", 2, 5, true);
    at(5);
    assertThat(oneHolder(0, 4.5))
        .contains("\"inconclusive\"", "1 block of node b after", "has not arrived");

    for (double second = 6; second < 60; second++) {
      heartbeat("a", 2, second);
      at(second);
    }
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(oneHolder(0, 4.5))
                    .contains("\"inconclusive\"", "events of node b are lost between"));
  }

  @Test
  void verdict_aBlockIsMissingAndTheNodeStartsAgain_isInconclusive() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    holds("b", 3, 3, false);
    run = "second";
    send(1, 5, start("b", 4.5, "second"));
    run = "first";
    holds("a", 2, 5, true);
    at(5);

    assertThat(oneHolder(0, 4)).contains("\"inconclusive\"", "1 block of node b after");
  }

  @Test
  void verdict_eventsOfNowAreInQuarantine_isInconclusive() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    heartbeat("b", 1, 1);
    at(2);
    http.events(
        "{\"node\":\"b\",\"log\":\"lease\",\"hlc\":\"%s\",\"pt\":%d,\"set\":{\"holds\":true}}\n"
            .formatted(HlcTimestamp.text(hlc(602)), START_MICROS + 602_000_000));
    holds("a", 2, 4, true);
    heartbeat("b", 1, 4);
    at(4);

    assertThat(oneHolder(0, 3)).contains("\"inconclusive\"", "1 event of b is in quarantine");
    assertThat(oneHolder(0, 0.5)).contains("\"holds\"");
    assertThat(query("ALWAYS holds@a FROM lease ON TIME hlc'%s' TO hlc'%s';", 0, 3))
        .contains("\"holds\"");
  }

  @Test
  void verdict_quarantinedEventsWereDeleted_isInconclusiveForGood() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    heartbeat("b", 1, 1);
    at(2);
    http.events(
        "{\"node\":\"b\",\"log\":\"lease\",\"hlc\":\"%s\",\"set\":{\"holds\":true}}\n"
            .formatted(HlcTimestamp.text(hlc(602))));
    heartbeat("b", 1, 4);
    holds("a", 2, 4, true);
    at(4);
    assertThat(quarantine("purge")).isEqualTo("{\"purged\":1}");

    assertThat(oneHolder(0, 3)).contains("\"inconclusive\"", "events of node b are lost between");
    assertThat(oneHolder(0, 0.9)).contains("\"holds\"");
  }

  @Test
  void verdict_quarantinedEventsWereReleased_isWhatTheyShow() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    http.events(
        "{\"node\":\"b\",\"log\":\"lease\",\"hlc\":\"%s\",\"seq\":2,\"set\":{\"holds\":true}}\n"
            .formatted(HlcTimestamp.text(hlc(602))));
    at(602);
    assertThat(quarantine("release")).contains("\"released\":1");
    heartbeat("b", 1, 603);
    holds("a", 2, 603, true);
    at(603);

    assertThat(oneHolder(0, 602.5)).contains("\"broken\"").doesNotContain("provisional");
  }

  @Test
  void verdict_theFirstEventsOfANodeAreInQuarantine_isInconclusive() throws Exception {
    holds("a", 1, 0, true);
    at(2);
    send(1, 602, change("b", 602, "lease", "holds", Value.of(true)));
    holds("a", 2, 4, true);
    at(4);

    assertThat(oneHolder(0, 3)).contains("\"inconclusive\"", "1 event of b is in quarantine");
    assertThat(oneHolder(0, 1)).contains("\"holds\"");
  }

  @Test
  void verdict_postedLinesSayWhatIsMissing_isInconclusiveOverTheirNodes() throws Exception {
    String b = "{\"node\":\"b\",\"log\":\"lease\",\"hlc\":\"%s\",\"set\":{\"holds\":%s}}\n";
    String lines =
        b.formatted(HlcTimestamp.text(hlc(1)), false)
            + "{\"warning\":\"block 17 is damaged and left out\"}\n"
            + b.formatted(HlcTimestamp.text(hlc(2)), false);
    holds("a", 1, 0, true);
    assertThat(http.events(lines).body()).contains("\"accepted\":2");
    assertThat(http.events(lines).body()).contains("\"accepted\":0,\"duplicates\":2");
    holds("a", 2, 5, true);
    at(5);
    String sentence = "block 17 is damaged and left out";

    assertThat(oneHolder(0, 4)).contains("\"inconclusive\"", sentence);
    assertThat(oneHolder(0, 0.9)).contains("\"holds\"").doesNotContain(sentence);
    String ofA = "ALWAYS holds@a FROM lease ON TIME hlc'%s' TO hlc'%s';";
    assertThat(query(ofA, 0, 4)).contains("\"holds\"");
    assertThat(query("SELECT holds@b FROM lease ON TIME hlc'%s' TO hlc'%s';", 0, 4))
        .containsOnlyOnce(sentence);
    assertThat(query("SELECT holds@a FROM lease ON TIME hlc'%s' TO hlc'%s';", 0, 4))
        .doesNotContain(sentence);
    assertThat(http.get("/v1/events").body())
        .containsOnlyOnce(sentence)
        .contains("{\"incomplete\":{\"kind\":\"reported\"");
  }

  @Test
  void verdict_everyNodeIsSilent_doesNotHoldUpToNow() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0.2, false);
    at(30);

    String upToNow = "NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease ON TIME LAST 40s;";
    assertThat(http.query(upToNow).body()).contains("\"inconclusive\"");
    String all = "NEVER COUNT n IN NODES : (holds@n) >= 2 FROM lease;";
    assertThat(http.query(all).body()).as("all that was recorded").contains("\"holds\"");
  }

  @Test
  void verdict_runsOfOneNodeOverlap_isInconclusive() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 1, false);
    run = "second";
    holds("b", 1, 0.5, false);
    holds("b", 2, 3, false);
    run = "first";
    holds("b", 2, 3, false);
    holds("a", 2, 5, true);
    at(5);

    assertThat(oneHolder(0, 2.5)).contains("\"inconclusive\"", "two of its runs overlap");
  }

  @Test
  void verdict_eventsOfANodeOfAnotherLogAreLost_decides() throws Exception {
    holds("a", 1, 0, true);
    send(1, 0, change("other", 0, "app", "x", Value.of(1), 1));
    send(2, 1, change("other", 1, "app", "x", Value.of(1), 4));
    holds("a", 2, 5, true);
    heartbeat("other", 2, 5);
    at(5);

    assertThat(oneHolder(0, 4)).contains("\"holds\"");
    assertThat(query("NEVER MAX(x) > 1 FROM app ON TIME hlc'%s' TO hlc'%s';", 0, 4))
        .contains("\"inconclusive\"", "events of node other are lost");
  }

  @Test
  void select_aBlockIsMissing_warns() throws Exception {
    holds("a", 1, 0, true);
    holds("b", 1, 0, false);
    holds("b", 3, 3, false);
    holds("a", 2, 5, true);
    at(5);

    assertThat(query("SELECT holds FROM lease ON TIME hlc'%s' TO hlc'%s';", 0, 4))
        .contains("{\"warning\":\"1 block of node b after 2026-11-20T18:40:00.000000Z has not");
  }

  private String quarantine(String action) throws Exception {
    return http.post(
            "/v1/admin/quarantine/" + action,
            "application/json",
            "",
            "{}".getBytes(StandardCharsets.UTF_8))
        .body();
  }

  private String run = "first";

  private String oneHolder(double from, double until) throws Exception {
    return query(ONE_HOLDER, from, until);
  }

  private String query(String text, double from, double until) throws Exception {
    String stampFrom = HlcTimestamp.text(hlc(from));
    return http.query(text.formatted(stampFrom, HlcTimestamp.text(hlc(until)))).body();
  }

  private void at(double second) {
    nowMicros.set(START_MICROS + (long) (second * 1e6));
  }

  private static long hlc(double second) {
    return HlcTimestamp.pack(START_MICROS + (long) (second * 1e6));
  }

  /** Sends a block of one write, in which the node promises the next within 300 ms. */
  private void holds(String node, long number, double second, boolean value) throws Exception {
    send(number, second, change(node, second, "lease", "holds", Value.of(value), number));
  }

  private static Event change(String node, double second, String log, String name, Value value) {
    return change(node, second, log, name, value, 1);
  }

  private static Event change(
      String node, double second, String log, String name, Value value, long sequence) {
    EventBody.Change change = new EventBody.Change(EventBody.Operation.SET, name, value);
    return new Event(
        node,
        log,
        hlc(second),
        Event.NO_PHYSICAL,
        sequence,
        Set.of(),
        new EventBody.StateChange(List.of(change)));
  }

  private static Event start(String node, double second, String run) {
    return new Event(
        node, "", hlc(second), new EventBody.Start(run, HlcTimestamp.MIN_PACKED, "", Spill.LOST));
  }

  private void heartbeat(String node, long number, double second) throws Exception {
    post(EventBlock.heartbeat(node, run, number, hlc(second), number, 300_000));
  }

  private void send(long number, double second, Event event) throws Exception {
    post(
        new EventBlockBuilder()
            .incarnation(run, number)
            .promise(hlc(second), number, 300_000)
            .add(event)
            .build());
  }

  private void post(EventBlock block) throws Exception {
    HttpProbe.Reply reply = http.blocks(EventBlockCodec.encode(block));
    assertThat(reply.status()).as(reply.body()).isEqualTo(200);
  }
}
