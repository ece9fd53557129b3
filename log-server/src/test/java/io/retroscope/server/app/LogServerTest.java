// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class LogServerTest {
  /** Three events of three nodes, and a heartbeat. */
  static final String LINES =
      """
      {"node":"zk1","log":"setd","hlc":"1795200000000000.0","set":{"r1":1}}
      {"node":"zk2","log":"setd","hlc":"1795200000000100.0","set":{"r1":1}}
      {"node":"zk10","log":"setd","hlc":"1795200000000200.0","set":{"r1":1,"q":true}}
      {"node":"zk1","hlc":"1795200000000300.0","heartbeat":true}
      """;

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

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
            line -> assertThat(line).contains("part", "only of zk1, only of log net"),
            line -> assertThat(line).contains("\"send\""),
            line -> assertThat(line).contains("000.0", "\"heartbeat\""),
            line -> assertThat(line).contains("300.0", "\"heartbeat\""));
    assertThat(http.get("/v1/events?from=1795200000000050.0&until=1795200000000100.0").body())
        .contains("\"zk2\"", "\"set\"")
        .doesNotContain("\"zk10\"")
        .doesNotContain("\"hlc\":\"1795200000000000.0\"");
    assertThat(http.get("/v1/events?log=absent").status()).isEqualTo(400);
    assertThat(http.get("/v1/events?node=absent").body()).contains("nothing is stored for node");
    assertThat(http.get("/v1/events?from=noon").body()).contains("\"detail\":\"from: ");
  }

  @Test
  void export_silenceAndSteadyHeartbeats_areDistinguished() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int millis : new int[] {0, 20, 40, 60, 80, 100, 120, 140, 160, 900, 920}) {
      lines.append("{\"node\":\"a\",\"hlc\":%d000,\"heartbeat\":true}\n".formatted(millis + 1000));
    }
    http.events(lines.toString());

    assertThat(http.get("/v1/events").body().lines().map(line -> line.replaceAll("\\D", "")))
        .containsExactly("1000000053334", "11600000", "19000000", "19200000");
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

    assertThat(http.blocks(block).body()).isEqualTo("{\"accepted\":2}");
    assertThat(http.blocks(block).body()).isEqualTo("{\"accepted\":0,\"duplicates\":2}");
    HttpProbe.Reply refused = http.blocks(other);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("block 1 of node \\\"a\\\"", "different content");
  }

  @Test
  void events_restart_keepsEverything() throws Exception {
    byte[] block = block("run", 1, "1795200000000400.0");
    http.events(LINES);
    http.blocks(block);
    String logs = http.get("/v1/logs").body();
    server.restart();

    assertThat(http.get("/v1/logs").body()).isEqualTo(logs);
    assertThat(http.blocks(block).body()).isEqualTo("{\"accepted\":0,\"duplicates\":2}");
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
    assertThat(http.get("/metrics").body()).contains("retroscope_events_quarantined 1.0\n");
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
  void start_directoryInUse_reportsItInOneSentence() {
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
    Files.writeString(newer.resolve("FORMAT"), "retroscope store 3\n");

    assertThatThrownBy(() -> LogServer.start(ServerConfig.in(foreign).port(0).build()))
        .hasMessageContaining("is not empty and contains no Retroscope store");
    assertThatThrownBy(() -> LogServer.start(ServerConfig.in(newer).port(0).build()))
        .hasMessageContaining("\"retroscope store 3\", but this program reads");
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
  void start_hostOfOtherMachines_needsTokens() {
    assertThatThrownBy(
            () ->
                LogServer.start(
                    ServerConfig.in(directory.resolve("x")).host("0.0.0.0").port(0).build()))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("tokens are needed");
  }

  @Test
  void get_unknownPath_isAProblem() throws Exception {
    HttpProbe.Reply reply = http.get("/v2/rows");

    assertThat(reply.status()).isEqualTo(404);
    assertThat(reply.contentType()).startsWith("application/problem+json");
    assertThat(http.get("/health/ready").body()).isEqualTo("ready\n");
  }

  @Test
  void close_liveQueriesRun_theirClientsAreNotifiedAtOnce() throws Exception {
    http.events(LINES);
    List<BufferedReader> streams = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      InputStream stream = http.stream("SELECT STREAM r1 FROM setd", "");
      streams.add(new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8)));
    }
    server.close();

    for (BufferedReader stream : streams) {
      try (stream) {
        assertThat(String.join("\n", stream.lines().toList()))
            .contains("the server is shutting down");
      }
    }
  }

  @Test
  void watermark_earlierBlocksWentElsewhere_advancesAfterAWhile() throws Exception {
    AtomicLong laterNanos = new AtomicLong();
    server.restart(
        ServerConfig.in(directory)
            .idleTimeout(Duration.ofSeconds(20))
            .monotonicClock(() -> System.nanoTime() + laterNanos.get()));
    http.blocks(block("run", 3, "1795200000000400.0"));
    assertThat(http.get("/v1/nodes").body())
        .contains("\"missingBlocks\":2", "\"watermark\":\"0.0\"");

    laterNanos.set(TimeUnit.SECONDS.toNanos(35));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              http.blocks(block("run", 3, "1795200000000400.0"));
              assertThat(http.get("/v1/nodes").body())
                  .contains("\"missingBlocks\":0", "\"watermark\":\"1795200000000400.0\"");
            });
  }

  /** A block of two events of node {@code a}. */
  static byte[] block(String incarnation, long number, String hlc) throws IOException {
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
