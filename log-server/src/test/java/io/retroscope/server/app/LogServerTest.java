package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.json.NdjsonReader;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LogServerTest {
  private static final String LINES =
      """
      {"node":"zk1","log":"setd","hlc":"1795200000000000.0","set":{"r1":1}}
      {"node":"zk2","log":"setd","hlc":"1795200000000100.0","set":{"r1":1}}
      {"node":"zk10","log":"setd","hlc":"1795200000000200.0","set":{"r1":1,"q":true}}
      {"node":"zk1","hlc":"1795200000000300.0","heartbeat":true}
      """;

  @TempDir Path directory;
  private LogServer server;
  private HttpProbe http;

  @BeforeEach
  void start() {
    server = LogServer.start(ServerConfig.in(directory).port(0).build());
    http = new HttpProbe(server.uri());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void events_lines_areCountedAndKnown() throws Exception {
    assertThat(http.events(LINES).body()).isEqualTo("{\"accepted\":4}");
    assertThat(http.get("/v1/logs").body())
        .isEqualTo("{\"logs\":[{\"name\":\"setd\",\"events\":3,\"variables\":[\"q\",\"r1\"]}]}");
    assertThat(http.get("/v1/nodes").body())
        .containsSubsequence(
            "\"name\":\"zk1\"", "\"events\":1", "1795200000000300.0", "\"zk2\"", "\"zk10\"");
  }

  @Test
  void events_sameBatchAgain_isDuplicate() throws Exception {
    http.events(LINES);

    assertThat(http.events(LINES).body()).isEqualTo("{\"accepted\":1,\"duplicates\":3}");
    assertThat(http.get("/v1/logs").body()).contains("\"events\":3");
  }

  @Test
  void export_storedEvents_comeBackInTheOrderOfTheirStamps() throws Exception {
    http.events(LINES);
    http.events(
        "{\"node\":\"a\",\"log\":\"net\",\"hlc\":1,\"send\":{\"to\":\"b\",\"id\":\"m\"}}\n");

    HttpProbe.Reply all = http.get("/v1/events");
    assertThat(all.contentType()).startsWith("application/x-ndjson");
    assertThat(all.body().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("\"log\":\"net\"", "\"1.0\""),
            line -> assertThat(line).contains("\"zk1\"", "\"set\":{\"r1\":1}"),
            line -> assertThat(line).contains("\"zk2\""),
            line -> assertThat(line).contains("\"zk10\"", "\"q\":true"),
            line -> assertThat(line).contains("\"zk1\"", "300.0", "\"heartbeat\":true"));
  }

  @Test
  void export_selection_leavesTheRestOut() throws Exception {
    http.events(LINES);
    http.events(
        "{\"node\":\"zk1\",\"log\":\"net\",\"hlc\":1,\"send\":{\"to\":\"b\",\"id\":\"m\"}}\n");

    assertThat(http.get("/v1/events?log=net&node=zk1").body().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("\"send\""),
            line -> assertThat(line).contains("000.0", "\"heartbeat\""),
            line -> assertThat(line).contains("300.0", "\"heartbeat\""));
    assertThat(http.get("/v1/events?from=1795200000000050.0&until=1795200000000100.0").body())
        .contains("\"zk2\"", "\"set\"")
        .doesNotContain("\"zk10\"")
        .doesNotContain("\"hlc\":\"1795200000000000.0\"");
    assertThat(http.get("/v1/events?log=absent").status()).isEqualTo(400);
    assertThat(http.get("/v1/events?node=absent").body()).contains("nothing is stored of node");
    assertThat(http.get("/v1/events?from=noon").body()).contains("\"detail\":\"from: ");
  }

  @Test
  void export_silenceAndSteadyHeartbeats_areToldApart() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int millis : new int[] {0, 20, 40, 60, 80, 100, 120, 140, 160, 900, 920}) {
      lines.append("{\"node\":\"a\",\"hlc\":%d000,\"heartbeat\":true}\n".formatted(millis + 1000));
    }
    http.events(lines.toString());

    assertThat(http.get("/v1/events").body().lines().map(line -> line.replaceAll("\\D", "")))
        .containsExactly("10000000", "11000000", "11600000", "19000000", "19200000");
  }

  @Test
  void export_losses_arriveOnceAndWarnThere() throws Exception {
    http.events(LINES);
    String loss =
        "{\"node\":\"zk1\",\"hlc\":\"1795200000000150.0\",\"lost\":"
            + "{\"from\":\"1795200000000050.0\",\"events\":17}}\n";
    http.events(loss);
    String other = loss.replace("\"events\":17", "\"events\":4");
    http.events(loss + other);

    assertThat(http.get("/v1/events").body())
        .startsWith(loss + other + "{\"node\":\"zk1\",\"log\":\"setd\"");
    assertThat(http.get("/v1/events?node=zk2").body()).doesNotContain("lost");
    assertThat(http.query("SELECT r1 FROM setd").body())
        .contains("\"warning\":\"17 events of node zk1 are lost between");
  }

  @Test
  void events_sameStampOtherContent_isRefusedAsAWhole() throws Exception {
    http.events(LINES);
    HttpProbe.Reply reply =
        http.events(
            """
            {"node":"zk4","log":"other","hlc":"1795200000000000.0","set":{"x":1}}

            {"node":"zk2","log":"setd","hlc":"1795200000000100.0","set":{"r1":2}}
            """);

    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.contentType()).startsWith("application/problem+json");
    assertThat(reply.body()).contains("line 3", "\\\"hlc\\\"", "node \\\"zk2\\\"", "stored");
    assertThat(http.get("/v1/logs").body()).doesNotContain("other");
  }

  @Test
  void events_badLine_namesItAndStoresNothing() throws Exception {
    HttpProbe.Reply reply = http.events(LINES + "{\"node\":\"zk1\",\"hlc\":1.5,\"stop\":true}\n");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.body()).contains("line 5", "\\\"hlc\\\"", "loses digits");
    assertThat(http.get("/v1/logs").body()).isEqualTo("{\"logs\":[]}");
  }

  @Test
  void events_blocks_areStoredOnceHoweverOftenSent() throws Exception {
    byte[] block = block("run", 1, "1795200000000400.0");
    byte[] other = block("run", 1, "1795200000000500.0");

    assertThat(postBlocks(block).body()).isEqualTo("{\"accepted\":2}");
    assertThat(postBlocks(block).body()).isEqualTo("{\"accepted\":0,\"duplicates\":2}");
    HttpProbe.Reply refused = postBlocks(other);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("block 1 of node \\\"a\\\"", "another content");
  }

  @Test
  void events_restart_keepsEverything() throws Exception {
    byte[] block = block("run", 1, "1795200000000400.0");
    http.events(LINES);
    postBlocks(block);
    String logs = http.get("/v1/logs").body();
    server.close();
    start();

    assertThat(http.get("/v1/logs").body()).isEqualTo(logs);
    assertThat(postBlocks(block).body()).isEqualTo("{\"accepted\":0,\"duplicates\":2}");
    assertThat(http.events(LINES).body()).contains("\"duplicates\":3");
  }

  @Test
  void events_gzip_isUnpackedWithinTheLimit() throws Exception {
    byte[] lines = LINES.getBytes(StandardCharsets.UTF_8);
    assertThat(http.post("/v1/events", HttpProbe.NDJSON, "gzip", HttpProbe.gzip(lines)).body())
        .isEqualTo("{\"accepted\":4}");

    byte[] bomb = HttpProbe.gzip(new byte[80 << 20]);
    assertThat(http.post("/v1/events", HttpProbe.NDJSON, "gzip", bomb).status()).isEqualTo(400);
    assertThat(http.post("/v1/events", EventBlockCodec.CONTENT_TYPE, "gzip", bomb).status())
        .isEqualTo(413);
    assertThat(http.post("/v1/events", HttpProbe.NDJSON, "gzip", lines).status()).isEqualTo(400);
  }

  @Test
  void query_acrossLostBlocks_warns() throws Exception {
    postBlocks(block("run", 1, "1795200000000400.0"));
    long from = HlcTimestamp.pack(1_795_200_000_000_500L);
    long to = HlcTimestamp.pack(1_795_200_000_000_600L);
    postBlocks(EventBlockCodec.encode(new LostBlocks("a", "run", 2, 3, 17, from, to)));
    http.events("{\"node\":\"b\",\"log\":\"l\",\"hlc\":1795200000000700,\"set\":{\"x\":1}}");
    assertThat(http.query("SELECT x FROM l").body())
        .contains(
            "{\"warning\":\"17 events of node a are lost between hlc'1795200000000500.0' and"
                + " hlc'1795200000000600.0': cuts there may show older state\"}");
    assertThat(
            http.query("SELECT x FROM l ON TIME hlc'1795200000000350.0' TO hlc'1795200000000450.0'")
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
  void explainAnalyze_tellsTheBlocks() throws Exception {
    http.events("{\"node\":\"a\",\"log\":\"l\",\"hlc\":1795200000000500,\"set\":{\"x\":1}}");
    http.events("{\"node\":\"a\",\"log\":\"m\",\"hlc\":1795200000000600,\"set\":{\"x\":1}}");
    assertThat(http.query("EXPLAIN ANALYZE SELECT x FROM l").body())
        .contains("blocks: 1 read, 1 skipped");
  }

  @Test
  void explain_tellsWhatIsReadAndWhatIsSkipped() throws Exception {
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
            "never split into slices: GLOBAL keeps its value from cut to cut",
            "state at its start: from what matters of the events since hlc'1795200000001000.0'",
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
    http.events(LINES);
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
    http.events(LINES);
    StringBuilder lines = new StringBuilder();
    for (long micros = 1_795_200_000_000_400L; lines.length() < 500_000; micros += 100_000) {
      lines.append("{\"node\":\"zk1\",\"hlc\":%d,\"heartbeat\":true}\n".formatted(micros));
    }
    http.events(lines.toString());

    String rows =
        assertTimeoutPreemptively(
            Duration.ofSeconds(20), () -> http.query("SELECT r1 FROM setd AT LIVE NODES").body());
    assertThat(rows.lines()).hasSize(5).last().asString().contains("\"missing\":[\"zk10\"");
  }

  @Test
  void query_wrongOrLiveStatement_isAProblemWithItsPlace() throws Exception {
    http.events(LINES);
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
  void query_rows_areJsonObjects() throws Exception {
    http.events(LINES);

    assertThat(http.query("SELECT r1 FROM setd LIMIT 2").body().lines())
        .hasSize(2)
        .first()
        .asString()
        .contains("\"hlc\":\"1795200000000000.0\"", "\"r1\":{\"zk1\":1}");
  }

  @Test
  void events_unknownTypeOrEncoding_isRefusedWithHelp() throws Exception {
    assertThat(http.post("/v1/events", "text/xml", "", new byte[0]).status()).isEqualTo(415);
    assertThat(http.post("/v1/events", HttpProbe.NDJSON, "br", new byte[0]).body())
        .contains("send gzip");
  }

  @Test
  void events_farInTheFuture_areQuarantinedAndCounted() throws Exception {
    String line = "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"4102444800000000.0\",\"set\":{\"x\":1}}";

    assertThat(http.events(line).body()).isEqualTo("{\"accepted\":1,\"quarantined\":1}");
    assertThat(http.get("/v1/logs").body()).isEqualTo("{\"logs\":[]}");
    assertThat(http.get("/v1/nodes").body()).contains("\"quarantined\":1");
    assertThat(http.get("/metrics").body()).contains("retroscope_events_quarantined 1\n");
  }

  @Test
  void start_portInUse_saysSoInOneSentence() {
    assertThatThrownBy(
            () ->
                LogServer.start(
                    ServerConfig.in(directory.resolve("second")).port(server.port()).build()))
        .isInstanceOf(ServerException.class)
        .hasMessage(
            "cannot listen on 127.0.0.1:%d: is the port in use, or the address not this machine's?",
            server.port());
  }

  @Test
  void start_directoryInUse_saysSoInOneSentence() {
    assertThatThrownBy(() -> LogServer.start(ServerConfig.in(directory).port(0).build()))
        .isInstanceOf(ServerException.class)
        .hasMessage(
            "data directory %s is in use by another log server: stop that one first", directory);
  }

  @Test
  void start_foreignDirectoryOrFormat_isRefusedUntouched() throws IOException {
    Path foreign = Files.createDirectory(directory.resolve("foreign"));
    Files.writeString(foreign.resolve("thesis.txt"), "mine");
    Path newer = Files.createDirectory(directory.resolve("newer"));
    Files.writeString(newer.resolve("FORMAT"), "retroscope store 2\n");

    assertThatThrownBy(() -> LogServer.start(ServerConfig.in(foreign).port(0).build()))
        .hasMessageContaining("is not empty and holds no Retroscope store");
    assertThatThrownBy(() -> LogServer.start(ServerConfig.in(newer).port(0).build()))
        .hasMessageContaining("\"retroscope store 2\", but this program reads");
    assertThat(foreign).isDirectoryContaining("glob:**thesis.txt");
    assertThat(newer.resolve("db")).doesNotExist();
  }

  @Test
  void start_fileAsDirectory_saysSoInOneSentence() throws IOException {
    Path file = Files.writeString(directory.resolve("notes.txt"), "mine");

    assertThatThrownBy(() -> LogServer.start(ServerConfig.in(file).port(0).build()))
        .isInstanceOf(ServerException.class)
        .hasMessage("cannot use %s as data directory: it is a file, not a directory", file);
  }

  @Test
  void start_hostOfOtherMachines_needsConsent() {
    assertThatThrownBy(
            () ->
                LogServer.start(
                    ServerConfig.in(directory.resolve("x")).host("0.0.0.0").port(0).build()))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("without a password");
  }

  @Test
  void get_unknownPath_isAProblem() throws Exception {
    HttpProbe.Reply reply = http.get("/v2/rows");

    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.contentType()).startsWith("application/problem+json");
    assertThat(http.get("/health/ready").body()).isEqualTo("ready\n");
  }

  @Test
  void close_liveQueriesRun_theirClientsHearOfItAtOnce() throws Exception {
    http.events(LINES);
    List<BufferedReader> streams = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      InputStream stream = http.stream("SELECT STREAM r1 FROM setd", "");
      streams.add(new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)));
    }
    server.close();

    for (BufferedReader stream : streams) {
      try (stream) {
        assertThat(String.join("\n", stream.lines().toList())).contains("the server is going down");
      }
    }
  }

  @Test
  void watermark_earlierBlocksWentElsewhere_goesOnAfterAWhile() throws Exception {
    server.close();
    AtomicLong laterNanos = new AtomicLong();
    server =
        LogServer.start(
            ServerConfig.in(directory)
                .port(0)
                .idleTimeout(Duration.ofSeconds(20))
                .monotonicClock(() -> System.nanoTime() + laterNanos.get())
                .build());
    http = new HttpProbe(server.uri());
    postBlocks(block("run", 3, "1795200000000400.0"));
    assertThat(http.get("/v1/nodes").body())
        .contains("\"missingBlocks\":2", "\"watermark\":\"0.0\"");

    laterNanos.set(TimeUnit.SECONDS.toNanos(35));
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              postBlocks(block("run", 3, "1795200000000400.0"));
              assertThat(http.get("/v1/nodes").body())
                  .contains("\"missingBlocks\":0", "\"watermark\":\"1795200000000400.0\"");
            });
  }

  private HttpProbe.Reply postBlocks(byte[] blocks) throws IOException, InterruptedException {
    return http.post("/v1/events", EventBlockCodec.CONTENT_TYPE, "", blocks);
  }

  /** Two events of node a, the second at the given stamp. */
  private static byte[] block(String incarnation, long number, String hlc) throws IOException {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation(incarnation, number);
    String lines =
        """
        {"node":"a","log":"l","hlc":"1795200000000350.0","set":{"x":1}}
        {"node":"a","log":"l","hlc":"%s","set":{"x":2}}
        """
            .formatted(hlc);
    NdjsonReader reader =
        new NdjsonReader(
            new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
            NdjsonReader.Limits.BATCH);
    long last = EventBlock.NO_HEARTBEAT;
    for (Optional<Event> e = reader.next(); e.isPresent(); e = reader.next()) {
      builder.add(e.get());
      last = e.get().hlc();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(EventBlockCodec.encode(builder.promise(last, 2).build()));
    return bytes.toByteArray();
  }
}
