// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.sink.Credentials;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RqlClientTest {
  private static final String NDJSON = "application/x-ndjson";
  private static final String EVENTS = "text/event-stream";
  private static final String QUERY = "SELECT r1 FROM setd";
  private static final String STREAM = "SELECT STREAM r1 FROM setd";
  private static final long HLC = HlcTimestamp.pack(1_795_200_000_000_000L, 3);

  /** Longer than a response may take on a busy machine. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private final CollectingSink sink = new CollectingSink();
  private ScriptedServer server;
  private RqlClient client;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer();
    Reconnect quick = new Reconnect(Duration.ofMillis(1), Duration.ofMillis(5), 3, SILENCE);
    client = new RqlClient(new ServerConnection(server.uri(), Credentials.NONE), quick);
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void run_ndjsonRows_readsColumnsFromTheFirst() throws IOException {
    server.answer(
        200,
        NDJSON,
        """
        {"hlc":"1795200000000000.3","uncertaintyMicros":null,"r1":{"zk1":4}}
        {"warning":"events of zk1 are missing"}
        {"hlc":"1795200000000420.0","uncertaintyMicros":12,"r1":{"zk1":5}}
        """);

    client.run(QUERY, sink);

    assertThat(sink.columns)
        .containsExactly(
            new Column("hlc", true),
            new Column("uncertaintyMicros", true),
            new Column("r1", false));
    assertThat(sink.rows).hasSize(2);
    assertThat(sink.rows.get(0).values()).startsWith(new TimestampValue(HLC));
    assertThat(sink.warnings).containsExactly("events of zk1 are missing");
    assertThat(server.requests)
        .singleElement()
        .satisfies(
            request -> {
              assertThat(request.uri().getPath()).isEqualTo("/v1/query");
              assertThat(request.body()).isEqualTo(QUERY);
              assertThat(request.accept()).contains(ResultWriter.MEDIA_TYPE);
            });
  }

  @Test
  void run_resultForm_keepsWhatPlainRowsLose() throws IOException {
    StringBuilder body = new StringBuilder();
    ResultWriter writer =
        new ResultWriter(
            line -> {
              body.append(line).append('\n');
              return true;
            });
    Row row = new Row(HLC, 1, List.of(new DurationValue(5_000)), Optional.empty());
    writer.columns(List.of(new Column("Age(r1)", false)));
    writer.progress(7, HLC);
    writer.row(row);
    writer.end();
    server.answer(200, ResultWriter.MEDIA_TYPE, body.toString());

    client.run(QUERY, sink);

    assertThat(sink.rows).containsExactly(row);
    assertThat(sink.columnNames()).containsExactly("Age(r1)");
    assertThat(sink.progress).containsExactly(7L);
  }

  @Test
  void run_sinkHasEnough_stops() throws IOException {
    server.answer(200, NDJSON, "{\"hlc\":\"1.0\",\"a\":1}\n".repeat(100));
    CollectingSink two = new CollectingSink(2);

    client.run(QUERY, two);

    assertThat(two.rows).hasSize(2);
  }

  @Test
  void run_answerWithoutItsEnd_isCutOff() {
    server.answer(200, ResultWriter.MEDIA_TYPE, "{\"columns\":[]}\n");
    server.breakOff(ResultWriter.MEDIA_TYPE, "{\"columns\":[]}\n");
    server.breakOff(NDJSON, "{\"hlc\":\"1.0\",\"a\":1}\n");

    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> client.run(QUERY, sink)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void run_answerThatIsNoResult_isRefused() {
    for (String body : List.of("x", "[1]", "{\"hlc\":\"no\"}", "\u0000")) {
      server.answer(200, NDJSON, body + "\n");
      server.answer(200, ResultWriter.MEDIA_TYPE, body + "\n");
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> client.run(QUERY, sink)).as(body).isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void run_statementRefused_throwsItsDiagnostics() {
    server.answer(
        400,
        ProblemJson.MEDIA_TYPE,
        """
        {"type":"about:blank","title":"The statement was refused","status":400,"detail":"...",
         "diagnostics":[{"code":"RQL0203","message":"unknown variable \\"r1\\" in log \\"setd\\"",
                         "start":7,"end":9,"help":"Variables here: version, znode"}]}
        """);

    RqlException error = catchThrowableOfType(RqlException.class, () -> client.run(QUERY, sink));

    assertThat(error.text()).isEqualTo(QUERY);
    assertThat(error.diagnostics())
        .singleElement()
        .satisfies(
            d -> {
              assertThat(d.code()).isEqualTo("RQL0203");
              assertThat(d.range()).isEqualTo(new SourceRange(7, 9));
              assertThat(d.help()).contains("Variables here: version, znode");
            });
  }

  @Test
  void run_failureAfterTheFirstRows_throwsAfterThem() {
    server.answer(
        200,
        NDJSON,
        """
        {"hlc":"1795200000000000.3","r1":{"zk1":4}}
        {"problem":{"title":"The statement failed","status":422,"detail":"division by zero",
        """
                .stripTrailing()
            + "\"diagnostics\":[{\"code\":\"RQL0401\",\"message\":\"division by zero\","
            + "\"start\":0,\"end\":6}]}}\n");

    RqlException error = catchThrowableOfType(RqlException.class, () -> client.run(QUERY, sink));

    assertThat(sink.rows).hasSize(1);
    assertThat(error.diagnostics().get(0).message()).isEqualTo("division by zero");
  }

  @Test
  void run_problemWithoutDiagnostics_saysItsDetail() {
    server.answer(
        503, ProblemJson.MEDIA_TYPE, ProblemJson.text(503, "Busy", "too many queries run"));

    assertThatThrownBy(() -> client.run(QUERY, sink))
        .isInstanceOf(ProblemException.class)
        .hasMessage("too many queries run");
  }

  @Test
  void run_otherServer_saysSo() {
    server.answer(404, "text/html", "<html>");

    assertThatThrownBy(() -> client.run(QUERY, sink))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("404")
        .hasMessageContaining("is it a log server?");
  }

  @Test
  void run_pageOfAnotherServer_saysSo() {
    server.answer(200, "text/html", "<html>");
    server.answer(200, "text/html; charset=utf-8", "<html>");

    assertThatThrownBy(() -> client.run(QUERY, sink))
        .isInstanceOf(ProblemException.class)
        .hasMessage(
            server.uri()
                + " answered with status 200 and a page of text/html: is it a log server?");
    assertThatThrownBy(client::catalog).hasMessageEndingWith("is it a log server?");
  }

  @Test
  void run_addressThatIsWrong_saysWhatMayBeWrong() throws Exception {
    assertThatThrownBy(() -> new RqlClient(URI.create("http://x.invalid:1")).run(QUERY, sink))
        .hasMessage("no connection to http://x.invalid:1: there is no host with this name");
    try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      URI https = URI.create("https://127.0.0.1:" + plain.getLocalPort());
      Thread answering = new Thread(() -> answerPlainly(plain));
      answering.start();
      assertThatThrownBy(() -> new RqlClient(https).run(QUERY, sink))
          .hasMessage("no connection to " + https + ": is it http rather than https?");
      answering.join();
    }
  }

  private static void answerPlainly(ServerSocket server) {
    try (Socket client = server.accept()) {
      client.getInputStream().read();
      client.getOutputStream().write("HTTP/1.1 400 Bad\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void run_noServerListens_namesTheServer() throws IOException {
    URI nobody = URI.create("http://127.0.0.1:1");
    RqlClient lonely = new RqlClient(nobody);

    assertThatThrownBy(() -> lonely.run(QUERY, sink))
        .isInstanceOf(IOException.class)
        .hasMessage("no connection to " + nobody + ": is the server running?");
    assertThatThrownBy(() -> lonely.run(STREAM, sink)).isInstanceOf(IOException.class);
  }

  @Test
  void run_stream_followsServerSentEvents() throws IOException {
    server.answer(
        200,
        EVENTS,
        """
        : hello

        event: row
        id: 1795200000000000.3/0
        data: {"hlc":"1795200000000000.3",
        data: "r1":{"zk1":4}}

        event: note
        data: {"instrument":"woodblock"}

        event: lost
        data: {"warning":"12 events of zk1 are lost"}

        event: progress
        data: {"hlc":"1795200000000420.0","cuts":9}

        event: edge
        id: 1795200000000420.0/1
        data: {"hlc":"1795200000000420.0","r1":{"zk1":5}}

        event: end
        data: {}

        """);

    client.run(STREAM, sink);

    assertThat(sink.rows).extracting(Row::ordinal).containsExactly(0, 1);
    assertThat(sink.warnings).containsExactly("12 events of zk1 are lost");
    assertThat(sink.progress).containsExactly(9L);
    assertThat(server.requests.get(0).uri().getQuery())
        .isEqualTo("form=result&query=SELECT+STREAM+r1+FROM+setd");
  }

  @Test
  void run_streamBreaksOff_isTakenUpBehindTheLastRow() throws IOException {
    server.answer(200, EVENTS, result("{\"columns\":[{\"name\":\"a\",\"automatic\":false}]}", ""));
    server.breakOff(EVENTS, result(resultRow(1), "1795200000000001.0/0"));
    server.breakOff(EVENTS, result("{\"columns\":[{\"name\":\"a\",\"automatic\":false}]}", ""));
    server.answer(
        200, EVENTS, result(resultRow(2), "1795200000000002.0/0") + result("{\"end\":true}", ""));

    client.run(STREAM, sink);

    assertThat(sink.columnNames()).containsExactly("a");
    assertThat(sink.rows)
        .extracting(row -> row.values().get(0))
        .containsExactly(Value.of(1), Value.of(2));
    assertThat(server.requests)
        .extracting(ScriptedServer.Request::lastEventId)
        .containsExactly("null", "null", "1795200000000001.0/0", "1795200000000001.0/0");
  }

  @Test
  void run_streamThatFallsSilent_isTakenUpBehindTheLastRow() throws IOException {
    server.fallSilent(EVENTS, result(resultRow(1), "1795200000000001.0/0"));
    server.fallSilent(EVENTS, "");
    server.answer(
        200, EVENTS, result(resultRow(2), "1795200000000002.0/0") + result("{\"end\":true}", ""));

    client.run(STREAM, sink);

    assertThat(sink.rows)
        .extracting(row -> row.values().get(0))
        .containsExactly(Value.of(1), Value.of(2));
    assertThat(server.requests)
        .extracting(ScriptedServer.Request::lastEventId)
        .containsExactly("null", "1795200000000001.0/0", "1795200000000001.0/0");
  }

  @Test
  void run_streamOfAServerThatGoesDown_isTakenUpWhenItIsBack() throws IOException {
    String down = ProblemJson.text(ProblemJson.GOING_DOWN, "Ended", "the server is shutting down");
    server.answer(
        200,
        EVENTS,
        result(resultRow(1), "1795200000000001.0/0") + result("{\"problem\":" + down + "}", ""));
    server.answer(200, EVENTS, "event: problem\ndata: " + down + "\n\n");
    server.answer(
        200, EVENTS, result(resultRow(2), "1795200000000002.0/0") + result("{\"end\":true}", ""));

    client.run(STREAM, sink);

    assertThat(sink.rows)
        .extracting(row -> row.values().get(0))
        .containsExactly(Value.of(1), Value.of(2));
  }

  @Test
  void run_streamThatTheServerCannotContinue_isNotResumed() {
    String failed = ProblemJson.text(500, "Ended", "its log says why");
    server.answer(200, EVENTS, result("{\"problem\":" + failed + "}", ""));

    assertThatThrownBy(() -> client.run(STREAM, sink))
        .isInstanceOf(ProblemException.class)
        .hasMessage("its log says why");
    assertThat(server.requests).hasSize(1);
  }

  @Test
  void run_streamTakenUp_neverSaysThatItIsLessFarThanBefore() throws IOException {
    server.breakOff(EVENTS, result(resultRow(1), "1795200000000001.0/0") + progress(1, 9));
    server.answer(
        200,
        EVENTS,
        progress(2, 0) + progress(3, 9) + progress(4, 10) + result("{\"end\":true}", ""));

    client.run(STREAM, sink);

    assertThat(sink.progress).containsExactly(1L, 3L, 4L);
    assertThat(sink.warnings)
        .containsExactly(
            "the connection to "
                + server.uri()
                + " failed; not up to date since 2026-11-20T18:40:00.000009Z, connecting again",
            "connected again, up to date until 2026-11-20T18:40:00.000010Z");
  }

  private static String progress(int cuts, int micros) {
    return result(
        "{\"progress\":{\"cuts\":%d,\"hlc\":\"%d.0\"}}"
            .formatted(cuts, 1_795_200_000_000_000L + micros),
        "");
  }

  @Test
  void run_streamStaysAway_givesUpAfterSoManyAttempts() {
    server.breakOff(EVENTS, result(resultRow(1), "1795200000000001.0/0"));

    assertThatThrownBy(() -> client.run(STREAM, sink)).isInstanceOf(IOException.class);

    assertThat(server.requests).hasSizeGreaterThanOrEqualTo(1 + 3);
    assertThat(sink.warnings).hasSize(1);
  }

  @Test
  void run_streamRefused_throwsItsDiagnostics() {
    server.answer(
        400,
        ProblemJson.MEDIA_TYPE,
        "{\"diagnostics\":[{\"code\":\"RQL0203\",\"message\":\"no\",\"start\":0,\"end\":1}]}");

    assertThatThrownBy(() -> client.run(STREAM, sink)).isInstanceOf(RqlException.class);
  }

  @Test
  void run_threadInterruptedWhileWaiting_endsQuietly() {
    Thread.currentThread().interrupt();

    assertThat(catchThrowableOfType(Exception.class, () -> client.run(STREAM, sink))).isNull();

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void catalog_whatTheServerKnows_isOrdered() throws IOException {
    server.answer(
        200,
        "application/json",
        "{\"logs\":[{\"name\":\"setd\",\"variables\":[\"r2\",\"r1\"],\"events\":5},{\"name\":\"app\"}]}");
    server.answer(
        200,
        "application/json",
        """
        [{"name":"zk10","events":7,"firstHlc":"20.0","lastHlc":"90.1"},
         {"name":"zk2","firstHlc":"10.0","lastHlc":"80.0"}]
        """);

    assertThat(client.catalog())
        .isEqualTo(
            new Catalog(
                List.of(
                    new LogDescription("app", List.of(), 0),
                    new LogDescription("setd", List.of("r1", "r2"), 5)),
                List.of(
                    new NodeDescription("zk2", 0, HlcTimestamp.pack(10), HlcTimestamp.pack(80)),
                    new NodeDescription(
                        "zk10", 7, HlcTimestamp.pack(20), HlcTimestamp.pack(90, 1)))));
  }

  private static String result(String line, String id) {
    return "event: result\n" + (id.isEmpty() ? "" : "id: " + id + "\n") + "data: " + line + "\n\n";
  }

  private static String resultRow(int value) {
    return "{\"row\":{\"hlc\":\"179520000000000%d.0\",\"ordinal\":0,\"values\":[%d]}}"
        .formatted(value, value);
  }
}
