// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.json.NdjsonReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code POST /v1/query} on a real server. */
@Timeout(60)
class QueryTest {
  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

  @Test
  void query_acrossLostBlocks_warns() throws Exception {
    http.blocks(LogServerTest.block("run", 1, "1795200000000400.0"));
    long from = HlcTimestamp.pack(1_795_200_000_000_500L);
    long to = HlcTimestamp.pack(1_795_200_000_000_600L);
    http.blocks(EventBlockCodec.encode(new LostBlocks("a", "run", 2, 3, 17, from, to)));
    http.events("{\"node\":\"b\",\"log\":\"l\",\"hlc\":1795200000000700,\"set\":{\"x\":1}}");
    assertThat(http.query("SELECT x FROM l").body())
        .contains(
            "{\"warning\":\"17 events of node a are lost between hlc'1795200000000500.0' and"
                + " hlc'1795200000000600.0': cuts there may show older state\"}");
    assertThat(
            http.query("SELECT x FROM l ON TIME hlc'1795200000000350.0' TO hlc'1795200000000400.0'")
                .body())
        .doesNotContain("warning");
  }

  @Test
  void query_acrossMissingNumbers_warns() throws Exception {
    http.events(
        """
        {"node":"a","log":"l","hlc":1795200000000500,"seq":1,"set":{"x":1}}
        {"node":"a","log":"l","hlc":1795200000000600,"seq":3,"set":{"x":3}}
        """);
    assertThat(http.query("SELECT x FROM l").body())
        .contains(
            "{\"warning\":\"1 event of node a is lost between hlc'1795200000000500.0' and"
                + " hlc'1795200000000600.0': cuts there may show older state\"}");
  }

  @Test
  void csv_hasItsWarningsInATrailer() throws Exception {
    http.events(
        """
        {"node":"a","log":"l","hlc":1795200000000500,"seq":1,"set":{"x":1}}
        {"node":"a","log":"l","hlc":1795200000000600,"seq":3,"set":{"x":3}}
        """);
    RawHttp raw = new RawHttp(server.uri().getPort());
    String body = "SELECT x FROM l";
    String reply =
        raw.send("POST", "/v1/query", body, "Accept: text/csv", "Content-Type: application/rql")
            .text();
    assertThat(reply)
        .contains("\r\nTrailer: X-Retroscope-Warnings\r\n")
        .endsWith(
            "\r\nX-Retroscope-Warnings: [\"1 event of node a is lost between"
                + " hlc'1795200000000500.0' and hlc'1795200000000600.0': cuts there may show"
                + " older state\"]\r\n\r\n");
    String healthy =
        raw.send(
                "POST",
                "/v1/query",
                body + " LIMIT 0",
                "Accept: text/csv",
                "Content-Type: application/rql")
            .text();
    assertThat(healthy).contains("X-Retroscope-Warnings: [");
  }

  @Test
  void lastOnAServer_isMeasuredFromItsClock() throws Exception {
    http.events("{\"node\":\"a\",\"log\":\"l\",\"hlc\":1795200000000500,\"set\":{\"x\":1}}");
    String last = http.query("SELECT x FROM l ON TIME LAST 10ms").body();
    assertThat(last)
        .doesNotContain("\"hlc\"")
        .contains("complete only up to 2026-11-20T18:40:00.000500Z (");
    String now = http.query("SELECT x FROM l ON TIME NOW").body();
    assertThat(now)
        .contains(
            "{\"hlc\":\"1795200000000500.0\"", "complete only up to 2026-11-20T18:40:00.0005");
    assertThat(http.query("SELECT x FROM l").body())
        .contains("\"hlc\":\"1795200000000500.0\"")
        .doesNotContain("complete");
  }

  @Test
  void crashedNode_isNamedInTheAnswer() throws Exception {
    http.events(
        """
        {"node":"w1","log":"l","hlc":1795200000000000,"set":{"x":1}}
        {"node":"w2","log":"l","hlc":1795200000000000,"set":{"x":1}}
        {"node":"w1","hlc":1795200001000000,"heartbeat":true,"promise":500000}
        {"node":"w2","hlc":1795200001000000,"heartbeat":true,"promise":500000}
        {"node":"w2","hlc":1795200004000000,"heartbeat":true,"promise":500000}
        """);
    String expected =
        "{\"warning\":\"w1 silent since hlc'1795200001000000.0'; its last values still count;"
            + " AT LIVE NODES leaves it out\"}";
    assertThat(http.query("SELECT x FROM l").body()).contains(expected);
    assertThat(http.query("SELECT x FROM l AT LIVE NODES").body()).doesNotContain("silent");
    assertThat(http.query("SELECT x FROM l ON TIME hlc'1795200001000000.0'").body())
        .doesNotContain("warning");
  }

  @Test
  void twoProcessesOfOneName_areShownEverywhere() throws Exception {
    http.events(
        """
        {"node":"w","incarnation":"p1","log":"l","hlc":1795200000000000,"set":{"x":1}}
        {"node":"w","incarnation":"p2","log":"l","hlc":1795200000000100,"set":{"x":2}}
        {"node":"w","incarnation":"p1","log":"l","hlc":1795200000000200,"set":{"x":3}}
        """);
    String sentence =
        "node w: two of its runs overlap from hlc'1795200000000100.0' to hlc'1795200000000200.0':"
            + " two processes may use one name";
    assertThat(http.query("SELECT x FROM l").body()).contains(sentence);
    assertThat(http.query("SHOW NODES").body()).contains("\"overlaps\":1", sentence);
    assertThat(http.get("/v1/nodes").body()).contains("\"overlaps\":1");
    assertThat(http.get("/metrics").body()).contains("retroscope_nodes_overlapping 1");
    String export = http.get("/v1/events").body();
    InMemoryEventSource file = file(export);
    try (EventSource.View view = file.open()) {
      assertThat(view.overlaps(HlcRange.ALL))
          .extracting(Overlap::sentence)
          .containsExactly(sentence);
    }
  }

  private static InMemoryEventSource file(String lines) throws IOException {
    byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
    NdjsonReader reader =
        new NdjsonReader(new ByteArrayInputStream(bytes), NdjsonReader.Limits.FILE);
    List<Event> events = new ArrayList<>();
    for (Optional<Event> next = reader.next(); next.isPresent(); next = reader.next()) {
      events.add(next.get());
    }
    return new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
  }

  @Test
  void explainAnalyze_showsTheBlocks() throws Exception {
    http.events("{\"node\":\"a\",\"log\":\"l\",\"hlc\":1795200000000500,\"set\":{\"x\":1}}");
    http.events("{\"node\":\"a\",\"log\":\"m\",\"hlc\":1795200000000600,\"set\":{\"x\":1}}");
    assertThat(http.query("EXPLAIN ANALYZE SELECT x FROM l").body())
        .contains("blocks: 1 read, 1 skipped");
  }

  @Test
  void explain_showsReadAndSkippedBlocks() throws Exception {
    for (int i = 1; i <= 3; i++) {
      http.events(
          "{\"node\":\"a\",\"log\":\"l\",\"hlc\":179520000000%d000,\"set\":{\"x\":1}}"
              .formatted(i));
    }
    assertThat(
            http.query(
                    "EXPLAIN ANALYZE SELECT x FROM l COMPUTE GLOBAL g AND g := 1"
                        + " ON TIME hlc'1795200000001500.0' TO hlc'1795200000002500.0'")
                .body())
        .contains(
            "walk one time slice, hlc'1795200000001500.0' to hlc'1795200000002500.0'",
            "cannot be split into slices: GLOBAL keeps its value from cut to cut",
            "reads back to the last relevant write (store begins at hlc'1795200000001000.0')",
            "scan log l, 3 events",
            "rows: 1",
            "cuts: 1",
            "events read: 2",
            "blocks: 2 read, 1 skipped");
  }

  @Test
  void query_inAnyScript_isEchoedInItsProblem() throws Exception {
    http.events("{\"node\":\"Zürich\",\"log\":\"日誌\",\"hlc\":1795200000000500,\"set\":{\"x\":1}}");
    assertThat(http.query("SELECT x, ý FROM 日誌").body())
        .contains(
            "unknown variable \\\"ý\\\" in log \\\"日誌\\\"",
            "LINE 1: SELECT x, ý FROM 日誌\\n                  ^\\n");
  }

  @Test
  void query_beyondALimit_isAProblemThatNamesIt() throws Exception {
    http.events(LogServerTest.LINES);
    String nested = "(".repeat(10_000) + "1" + ")".repeat(10_000);
    assertThat(http.query(nested).body()).contains("RQL0602");
    assertThat(http.query("1" + " + 1".repeat(10_000)).body()).contains("RQL0603");
    assertThat(http.query("1" + " + 1".repeat(495)).body()).contains("{\"value\":496}");
    assertThat(http.query("1" + " + 1".repeat(40_000)).body()).contains("RQL0601");
    assertThat(
            http.query(
                    "COUNT a IN 1..999 : ((COUNT b IN 1..999 : ((COUNT c IN 1..999 : (a = b AND b ="
                        + " c)) > 0)) > 0)")
                .body())
        .contains("RQL0611");
  }

  @Test
  void query_atLiveNodesOverALongLife_looksAtItNoMoreOftenThanItNeeds() throws Exception {
    http.events(LogServerTest.LINES);
    StringBuilder lines = new StringBuilder();
    for (long micros = 1_795_200_000_000_400L; lines.length() < 500_000; micros += 100_000) {
      lines.append("{\"node\":\"zk1\",\"hlc\":%d,\"heartbeat\":true}\n".formatted(micros));
    }
    http.events(lines.toString());

    String rows =
        assertTimeoutPreemptively(
            Duration.ofSeconds(20), () -> http.query("SELECT r1 FROM setd AT LIVE NODES").body());
    assertThat(rows.lines().filter(line -> line.startsWith("{\"hlc\"")))
        .hasSize(5)
        .last()
        .asString()
        .contains("\"missing\":[\"zk10\"");
  }

  @Test
  void query_wrongOrLiveStatement_isAProblemWithItsPlace() throws Exception {
    http.events(LogServerTest.LINES);
    HttpProbe.Reply unknown = http.query("SELECT nothing FROM setd");
    HttpProbe.Reply live = http.query("SELECT STREAM r1 FROM setd");

    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.contentType()).startsWith("application/problem+json");
    assertThat(unknown.body()).contains("\"code\":\"RQL", "\"start\":7", "\"end\":14");
    assertThat(unknown.body())
        .contains("LINE 1: SELECT nothing FROM setd\\n               ^^^^^^^\\nhelp: ");
    assertThat(live.status()).isEqualTo(400);
    assertThat(live.body()).contains("/v1/stream");
  }

  @Test
  void query_errorInACut_keepsTheRowsBeforeIt() throws Exception {
    http.events(
        """
        {"node":"a","log":"l","hlc":1795200000000500,"set":{"x":1}}
        {"node":"b","log":"l","hlc":1795200000000600,"set":{"x":2}}
        {"node":"b","log":"l","hlc":1795200000000700,"set":{"x":"t"}}
        """);

    HttpProbe.Reply reply = http.query("SELECT MAX(x) AS most FROM l");

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.body().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("\"most\":1"),
            line -> assertThat(line).contains("\"most\":2"),
            line -> assertThat(line).startsWith("{\"problem\":").contains("RQL0401"));
    HttpProbe.Reply first = http.query("SELECT 1 / (x@a - 1) AS none FROM l");
    assertThat(first.status()).isEqualTo(400);
    assertThat(first.body()).contains("division by zero");
  }

  @Test
  void query_rows_areJsonObjects() throws Exception {
    http.events(LogServerTest.LINES);

    assertThat(http.query("SELECT r1 FROM setd LIMIT 2").body().lines())
        .hasSize(2)
        .first()
        .asString()
        .contains("\"hlc\":\"1795200000000000.0\"", "\"r1\":{\"zk1\":1}");
  }
}
