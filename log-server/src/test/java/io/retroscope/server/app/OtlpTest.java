// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static io.retroscope.server.ingest.OtlpRequest.TIME;
import static io.retroscope.server.ingest.OtlpRequest.log;
import static io.retroscope.server.ingest.OtlpRequest.logs;
import static io.retroscope.server.ingest.OtlpRequest.pair;
import static io.retroscope.server.ingest.OtlpRequest.span;
import static io.retroscope.server.ingest.OtlpRequest.spans;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceResponse;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.retroscope.server.app.HttpProbe.Reply;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code POST /v1/logs} and {@code POST /v1/traces} on a real server. */
@Timeout(60)
class OtlpTest {
  private static final String WARNING = "node py@h1: physical time only";

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

  private Reply post(String path, byte[] request) throws Exception {
    return http.post(path, "application/x-protobuf", "", request);
  }

  private String messages(String log) throws Exception {
    return http.query("SELECT message FROM " + log).body();
  }

  private static int count(String text, String part) {
    return text.split(part, -1).length - 1;
  }

  @Test
  void serviceWithoutRecorder_appearsInTheCut_withAWarning() throws Exception {
    http.events("{\"node\":\"zk1\",\"log\":\"app\",\"hlc\":1795200000000400,\"set\":{\"r1\":7}}");

    Reply reply = post("/v1/logs", logs(log(TIME, "timeout").addAttributes(pair("number", "17"))));

    assertThat(reply).isEqualTo(new Reply(200, "application/x-protobuf", ""));
    assertThat(http.query("SELECT r1, message, number FROM app").body())
        .contains("{\"warning\":\"" + WARNING)
        .contains(
            "\"r1\":{\"zk1\":7},\"message\":{\"py@h1\":\"timeout\"},\"number\":{\"py@h1\":\"17\"}");
    // A query of cuts without its events needs no warning.
    assertThat(
            http.query(
                    "SELECT r1 FROM app ON TIME hlc'1795200000000400.0' TO"
                        + " hlc'1795200000000400.0'")
                .body())
        .contains("\"zk1\":7")
        .doesNotContain("warning");
  }

  @Test
  void events_withStamps_haveNoWarning() throws Exception {
    LogRecord.Builder record = log(TIME, "a").addAttributes(pair("hlc", "1795200000000700.3"));

    assertThat(post("/v1/logs", logs(record)).status()).isEqualTo(200);

    assertThat(messages("app")).contains("1795200000000700.3").doesNotContain("warning");
  }

  @Test
  void spans_areInALogOfTheirOwn() throws Exception {
    assertThat(post("/v1/traces", spans(span(TIME, "GET /"))).status()).isEqualTo(200);

    assertThat(http.query("SELECT message, micros FROM spans").body())
        .contains("\"py@h1\":\"GET /\"")
        .contains(WARNING);
  }

  @Test
  void request_thatIsSentAgain_isADuplicate() throws Exception {
    byte[] request = logs(log(TIME, "a"), log(TIME, "b"));
    post("/v1/logs", request);
    assertThat(post("/v1/logs", request).status()).isEqualTo(200);
    server.restart();
    assertThat(post("/v1/logs", request).status()).isEqualTo(200);

    assertThat(count(messages("app"), "\"message\":")).isEqualTo(2);
  }

  /** Some SDKs count in milliseconds, so that several requests have the same times. */
  @Test
  void requests_withTheSameTimes_areAllStored() throws Exception {
    byte[] second = logs(log(TIME, "c"), log(TIME, "d"));
    post("/v1/logs", logs(log(TIME, "a"), log(TIME, "b")));
    assertThat(post("/v1/logs", second).status()).isEqualTo(200);
    assertThat(post("/v1/logs", second).status()).isEqualTo(200);

    assertThat(count(messages("app"), "\"message\":")).isEqualTo(4);
  }

  @Test
  void stamp_withOtherContent_isAConflict() throws Exception {
    post("/v1/logs", logs(log(TIME, "a").addAttributes(pair("hlc", "1795200000000700.3"))));

    Reply reply =
        post("/v1/logs", logs(log(TIME, "b").addAttributes(pair("hlc", "1795200000000700.3"))));

    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.contentType()).isEqualTo("application/problem+json");
  }

  @Test
  void olderEvents_areCoveredByAWarningAsWell() throws Exception {
    post("/v1/logs", logs(log(TIME, "late")));
    post("/v1/logs", logs(log(TIME - 1_000_000, "early")));

    assertThat(
            http.query(
                    "SELECT message FROM app ON TIME hlc'1795199999999000.0' TO"
                        + " hlc'1795200000000450.0'")
                .body())
        .contains("early")
        .contains(WARNING);
  }

  @Test
  void recordThatIsNoEvent_isReportedAsTheProtocolSays() throws Exception {
    Reply reply = post("/v1/logs", logs(log(TIME, "a"), log(0, "never")));

    ExportLogsServiceResponse answer =
        ExportLogsServiceResponse.parseFrom(reply.body().getBytes(StandardCharsets.UTF_8));
    assertThat(reply.status()).isEqualTo(200);
    assertThat(answer.getPartialSuccess().getRejectedLogRecords()).isEqualTo(1);
    assertThat(answer.getPartialSuccess().getErrorMessage()).startsWith("record 2: ");
    assertThat(post("/v1/logs", logs(log(0, "never"))).status()).isEqualTo(200);
    assertThat(count(messages("app"), "\"message\":")).isEqualTo(1);
  }

  @Test
  void batch_hasTheLimitsOfABatch() throws Exception {
    LogRecord.Builder[] records = new LogRecord.Builder[1_500];
    for (int i = 0; i < records.length; i++) {
      records[i] = log(TIME + i, "x".repeat(1_000));
    }
    byte[] packed = HttpProbe.gzip(logs(records));

    assertThat(post("/v1/logs", logs(records)).status()).as("above 1 MiB").isEqualTo(200);
    assertThat(http.post("/v1/logs", "application/x-protobuf", "gzip", packed).status())
        .isEqualTo(200);
    assertThat(post("/v1/logs", Arrays.copyOf(logs(records), 1_000)).status()).isEqualTo(400);
    byte[] bomb = HttpProbe.gzip(new byte[(64 << 20) + 1]);
    assertThat(http.post("/v1/logs", "application/x-protobuf", "gzip", bomb).status())
        .isEqualTo(413);
  }

  /** Spans of one service, two of which overlap, and a record of a log. */
  private static final String JSON =
      """
      {"resourceSpans":[{"scopeSpans":[{"scope":{"name":"orders"},"spans":[
        {"traceId":"0102","spanId":"ab","name":"GET /","kind":2,
         "startTimeUnixNano":"1795200000000500123","endTimeUnixNano":"1795200000003000123"},
        {"traceId":"0102","spanId":"ab","name":"GET /","kind":"SPAN_KIND_SERVER",
         "startTimeUnixNano":1795200000001500123,"endTimeUnixNano":1795200000004000123}]}],
        "resource":{"attributes":[{"key":"service.name","value":{"stringValue":"py"}},
          {"key":"host.name","value":{"stringValue":"h1"}}]}}]}
      """;

  private static final String SPAN_QUERY =
      "SELECT running, `inflight.GET /`, message, kind, scope, trace, micros, ended FROM spans";

  @Test
  void spans_asJsonAndAsProtobuf_giveTheSameAnswers() throws Exception {
    Reply reply =
        http.post("/v1/traces", "application/json", "", JSON.getBytes(StandardCharsets.UTF_8));
    assertThat(reply).isEqualTo(new Reply(200, "application/json", "{}"));
    String asJson = http.query(SPAN_QUERY).body();
    assertThat(asJson).contains("\"`inflight.GET /`\":{\"py@h1\":2}").contains("one OTLP request");

    byte[] same = spans(span(TIME, "GET /"), span(TIME + 1_000_000, "GET /"));
    assertThat(post("/v1/traces", same).status()).isEqualTo(200);

    // The same events are there already, so the second request stores nothing.
    assertThat(http.query(SPAN_QUERY).body()).isEqualTo(asJson);
  }

  @Test
  void json_thatIsNoRequest_isRefused_andRecordsOfTheOtherKindAreReported() throws Exception {
    for (String bad : new String[] {"{\"resourceSpans\":[{", "{\"resourceSpans\":7}", "{\"a\"}"}) {
      byte[] body = bad.getBytes(StandardCharsets.UTF_8);
      assertThat(http.post("/v1/traces", "application/json", "", body).status())
          .as(bad)
          .isEqualTo(400);
    }
    Reply other =
        http.post("/v1/logs", "application/json", "", JSON.getBytes(StandardCharsets.UTF_8));
    assertThat(other.status()).isEqualTo(200);
    assertThat(other.body())
        .startsWith("{\"partialSuccess\":{\"rejectedLogRecords\":\"2\"")
        .contains("another endpoint");
  }

  @Test
  void logs_asJsonAndAsProtobuf_giveTheSameAnswers() throws Exception {
    String json =
        """
        {"resourceLogs":[{"resource":{"attributes":[
          {"key":"service.name","value":{"stringValue":"py"}},
          {"key":"host.name","value":{"stringValue":"h1"}}]},
         "scopeLogs":[{"scope":{"name":"orders"},"logRecords":[
          {"timeUnixNano":"1795200000000500123","severityNumber":13,
           "body":{"stringValue":"timeout"},
           "attributes":[{"key":"number","value":{"stringValue":"17"}}]}]}]}]}
        """;
    assertThat(
            http.post("/v1/logs", "application/json", "", json.getBytes(StandardCharsets.UTF_8))
                .status())
        .isEqualTo(200);
    String asJson = http.query("SELECT message, level, logger, number FROM app").body();

    post("/v1/logs", logs(log(TIME, "timeout").addAttributes(pair("number", "17"))));

    assertThat(http.query("SELECT message, level, logger, number FROM app").body())
        .isEqualTo(asJson)
        .contains("\"level\":{\"py@h1\":\"WARN\"}");
    assertThat(count(messages("app"), "\"message\":")).isEqualTo(1);
  }
}
