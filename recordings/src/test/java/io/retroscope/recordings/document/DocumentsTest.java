// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ReadingSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DocumentsTest {
  private static final String START = "1795200000000000000";

  private final Documents documents = new Documents("app");
  private List<String> reasons = List.of();

  private void add(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    documents.add("f", DocumentFormat.recognize(bytes).orElseThrow(), stream(text));
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private List<ClockReading> readings() {
    List<ClockReading> all = new ArrayList<>();
    try (ReadingSource source = documents.open()) {
      for (ClockReading next = source.next(); next != null; next = source.next()) {
        all.add(next);
      }
      reasons = source.reasons().stream().map(reason -> reason.sentence()).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return all;
  }

  private static final long ORIGIN = 1_795_200_000_000_000L;

  /** Node, microseconds since the origin, and the events, in few words. */
  private List<String> events() {
    return readings().stream()
        .map(
            reading ->
                "%s %d %s"
                    .formatted(
                        reading.node(),
                        reading.micros() - ORIGIN,
                        reading.bodies().stream()
                            .map(DocumentsTest::word)
                            .collect(Collectors.joining(" "))))
        .toList();
  }

  private static String word(EventBody body) {
    if (body instanceof EventBody.StateChange state) {
      return state.changes().stream()
          .map(change -> change.operation() + ":" + change.variable() + "=" + text(change.value()))
          .collect(Collectors.joining(","));
    }
    if (body instanceof EventBody.LogLine line) {
      return line.message();
    }
    return body instanceof EventBody.Send send
        ? "to:" + send.to()
        : body instanceof EventBody.Receive receive ? "from:" + receive.from() : "?";
  }

  private static String text(Value value) {
    return io.retroscope.rql.json.JsonValues.text(value);
  }

  /** One span in OTLP, with more fields. */
  private static String span(String id, String name, long start, long end, String more) {
    return "{\"traceId\":\"0a\",\"spanId\":\"%s\",\"name\":\"%s\",\"startTimeUnixNano\":\"%s\",\"endTimeUnixNano\":\"%s\"%s}"
        .formatted(id, name, nanos(start), end == 0 ? "0" : nanos(end), more);
  }

  private static String nanos(long micros) {
    return Long.toString((ORIGIN + micros) * 1_000);
  }

  private static String otlp(String node, String... spans) {
    return "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"%s\"}}]},\"scopeSpans\":[{\"spans\":[%s]}]}]}"
        .formatted(node, String.join(",", spans));
  }

  @Test
  void spans_ofOneName_areCounted_andLeaveWithTheLast() {
    add(otlp("a", span("1", "x", 10, 40, ""), span("2", "x", 20, 30, "")));

    assertThat(events())
        .containsExactly(
            "a 10 SET:inflight.x=1,ADD:running=[\"x\"] x",
            "a 20 SET:inflight.x=2,ADD:running=[\"x\"] x",
            "a 30 x SET:inflight.x=1,ADD:running=[\"x\"]",
            "a 40 x SET:inflight.x=0,REMOVE:running=[\"x\"]");
  }

  /** One ends when the next begins; the third has no duration, and the fourth a negative one. */
  @Test
  void spans_thatTouch_doNotOverlap() {
    add(
        otlp(
            "a",
            span("4", "x", 60, 50, ""),
            span("3", "x", 30, 30, ""),
            span("2", "x", 20, 30, ""),
            span("1", "x", 10, 20, "")));

    assertThat(events().stream().map(event -> event.replaceAll(",.*| x", "")))
        .containsExactly(
            "a 10 SET:inflight.x=1",
            "a 20 SET:inflight.x=0",
            "a 20 SET:inflight.x=1",
            "a 30 SET:inflight.x=0",
            "a 30 SET:inflight.x=1",
            "a 30 SET:inflight.x=0",
            "a 60 SET:inflight.x=1",
            "a 60 SET:inflight.x=0");
    assertThat(fields(6, true)).containsEntry("micros", Value.of(-10));
  }

  private java.util.Map<String, Value> fields(int reading, boolean isStart) {
    return ((EventBody.LogLine) readings().get(reading).bodies().get(isStart ? 1 : 0)).fields();
  }

  @Test
  void span_withoutAnEnd_leavesAfterAnHour_marked() {
    add(otlp("a", span("1", "x", 0, 0, "")));

    assertThat(events().get(1)).isEqualTo("a 3600000000 x SET:inflight.x=0,REMOVE:running=[\"x\"]");
    assertThat(fields(1, false))
        .containsEntry("expired", Value.of(true))
        .doesNotContainKeys("ended", "micros");
  }

  @Test
  void spans_ofSeveralDocuments_countOnce() {
    String text = otlp("a", span("1", "x", 10, 40, ""));
    add(text);
    add(text + "\n" + text);

    assertThat(events()).hasSize(2);
  }

  @Test
  void documents_thatAreCutOff_areUsedUpToThere() {
    String text = otlp("a", span("1", "x", 10, 40, ""), span("2", "y", 10, 40, ""));
    add(text.substring(0, text.indexOf("\"y\"")));

    assertThat(events()).hasSize(2);
    assertThat(reasons).containsExactly("f:1: the document is cut off; what comes before is used");
  }

  @Test
  void records_thatAreNoEvents_areLeftOut_andNamed() {
    add(
        otlp(
            "a",
            span("1", "x", 10, 40, ""),
            span("2", "x", -ORIGIN, 40, ""),
            span("3", "x", 10, 40, ",\"attributes\":[{\"key\":\"\"}]")));

    assertThat(events()).hasSize(2);
    assertThat(reasons)
        .containsExactly(
            "f: record 3 is left out: the name of an attribute has 0 characters: 1 to 1000 are"
                + " possible (2 records in all)");
  }

  @Test
  void names_thatAreTooMany_areNotCounted() {
    List<String> spans = new ArrayList<>();
    for (int i = 0; i < SpanTimeline.MAX_NAMES + 1; i++) {
      spans.add(span(Integer.toString(i), "n" + i, i, 5_000, ""));
    }
    add(otlp("a", spans.toArray(String[]::new)));

    assertThat(events().get(SpanTimeline.MAX_NAMES))
        .isEqualTo("a 1000 ADD:running=[\"n1000\"] n1000");
    assertThat(reasons).singleElement().asString().contains("more than 1,000 names");
  }

  private static String kind(int kind, String parent, String more) {
    return ",\"kind\":%d,\"parentSpanId\":\"%s\"%s".formatted(kind, parent, more);
  }

  private static final String ERROR = ",\"status\":{\"code\":2}";

  @Test
  void clientAndServer_areARequestAndAResponse() {
    add(otlp("a", span("1", "x", 0, 100, kind(3, "", ""))));
    add(otlp("b", span("2", "y", 10, 90, kind(2, "1", ""))));

    assertThat(events())
        .containsExactly(
            "a 0 SET:inflight.x=1,ADD:running=[\"x\"] x to:b",
            "b 10 from:a SET:inflight.y=1,ADD:running=[\"y\"] y",
            "b 90 y SET:inflight.y=0,REMOVE:running=[\"y\"] to:a",
            "a 100 from:b x SET:inflight.x=0,REMOVE:running=[\"x\"]");
  }

  @Test
  void producerAndConsumers_areOneMessageEach() {
    add(otlp("a", span("1", "x", 0, 1, kind(4, "", ERROR))));
    add(otlp("b", span("2", "y", 10, 90, kind(5, "1", ""))));
    add(otlp("c", span("3", "y", 10, 90, kind(5, "1", ""))));

    assertThat(events().toString().split("to:|from:", -1)).hasSize(5);
  }

  @ParameterizedTest
  @CsvSource({
    "a server that takes longer, 100, 0, 101, 2, 1",
    "an end before the start, 100, 50, 40, 2, 1",
    "a parent that is missing, 100, 10, 90, 2, 7",
    "an internal child, 100, 10, 90, 1, 1",
    "a server without an end, 100, 10, 0, 2, 1",
    "a client without an end, 0, 10, 90, 2, 1",
  })
  void pairs_thatMayBeNone_areNoMessages(
      String what, long clientEnd, long start, long end, int kind, String parent) {
    add(otlp("a", span("1", "x", 0, clientEnd, kind(3, "", ""))));
    add(otlp("b", span("2", "y", start, end, kind(kind, parent, ""))));

    assertThat(events().toString()).as(what).doesNotContain("to:").doesNotContain("from:");
  }

  @Test
  void failures_retriesAndOneNode_areNoMessages() {
    add(otlp("a", span("1", "x", 0, 100, kind(3, "", ERROR))));
    add(otlp("b", span("2", "y", 10, 90, kind(2, "1", ""))));
    add(otlp("a", span("3", "x", 0, 100, kind(3, "", ""))));
    add(otlp("b", span("4", "y", 10, 90, kind(2, "3", ""))));
    add(otlp("b", span("5", "y", 20, 90, kind(2, "3", ""))));
    add(otlp("a", span("6", "x", 0, 100, kind(3, "", ""))));
    add(otlp("a", span("7", "y", 20, 90, kind(2, "6", ""))));
    add(otlp("a", span("8", "x", 0, 100, kind(3, "", ""))));
    add(otlp("b", span("9", "y", 10, 90, kind(2, "8", ERROR))));

    assertThat(events().toString()).doesNotContain("to:").doesNotContain("from:");
  }

  @Test
  void jaeger_followersAreNoResponses_andProcessesNameNodes() {
    String span =
        "{\"traceID\":\"a\",\"spanID\":\"%s\",\"operationName\":\"x\",\"startTime\":%d,\"duration\":%d,\"processID\":\"%s\",\"references\":[%s],\"tags\":[{\"key\":\"span.kind\",\"value\":\"%s\"}]}";
    String reference = "{\"refType\":\"%s\",\"traceID\":\"0a\",\"spanID\":\"01\"}";
    for (String type : List.of("FOLLOWS_FROM", "CHILD_OF")) {
      Documents one = new Documents("app");
      String text =
          "{\"data\":[{\"traceID\":\"a\",\"spans\":[%s,%s],\"processes\":{\"p1\":{\"serviceName\":\"a\",\"tags\":[{\"key\":\"hostname\",\"value\":\"h\"}]},\"p2\":{\"serviceName\":\"b\"}}}]}"
              .formatted(
                  span.formatted("1", ORIGIN, 100, "p1", "", "client"),
                  span.formatted("2", ORIGIN + 10, 50, "p2", reference.formatted(type), "server"));
      one.add("f", DocumentFormat.JAEGER, stream(text));
      try (ReadingSource source = one.open()) {
        ClockReading first = source.next();
        assertThat(first.node()).isEqualTo("a@h");
        assertThat(first.bodies()).as(type).hasSize(type.equals("CHILD_OF") ? 3 : 2);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void zipkin_sharedSpans_andSeveralAddressesOfAService() {
    String span =
        "{\"traceId\":\"a\",\"id\":\"1\",\"kind\":\"%s\",\"name\":\"x\",\"timestamp\":%d,\"duration\":%d,\"localEndpoint\":{\"serviceName\":\"%s\",\"ipv4\":\"%s\"},\"tags\":{\"code\":\"%s\"}%s}";
    add(
        "[[%s,%s],[%s]]"
            .formatted(
                span.formatted("CLIENT", ORIGIN, 100, "a", "10.0.0.1", "200", ""),
                span.formatted("SERVER", ORIGIN + 1, 90, "b", "10.0.0.3", "7", ",\"shared\":true"),
                span.formatted("", ORIGIN + 200, 1, "a", "10.0.0.2", "8", "")));

    assertThat(events().stream().map(event -> event.substring(0, event.indexOf(' '))).distinct())
        .containsExactly("a@10.0.0.1", "b", "a@10.0.0.2");
    assertThat(events().get(0)).endsWith("to:b");
    assertThat(fields(0, true))
        .containsEntry("code", Value.of(200))
        .containsEntry("trace", Value.of("0".repeat(31) + "a"));
  }

  @Test
  void logs_areLinesOfTheirNodes() {
    add(
        "{\"resourceLogs\":[{\"scopeLogs\":[{\"logRecords\":[{\"timeUnixNano\":\"%s\",\"severityNumber\":\"SEVERITY_NUMBER_WARN2\",\"body\":{\"stringValue\":\"late\"},\"attributes\":[{\"key\":\"many\",\"value\":{\"arrayValue\":{\"values\":[{\"intValue\":\"1\"}]}}}]}],\"scope\":{\"name\":\"s\"}}]}]}"
            .formatted(START));

    assertThat(events()).containsExactly("unknown_service 0 late");
    assertThat(((EventBody.LogLine) readings().get(0).bodies().get(0)).fields())
        .containsEntry("level", Value.of("WARN2"))
        .containsEntry("logger", Value.of("s"))
        .containsEntry("many", new Value.SetValue(List.of(Value.of(1))));
  }

  private static final String EDN =
      """
      ; a comment
      [{:type :invoke, :f :write, :value 3, :process 0, :time 1000, :index 0}
       #jepsen.history.Op{:type :ok, :f :write, :value 3, :process 0, :time 1100}
       {:type :invoke, :f :cas, :value [3 4], :process 1, :time 5000} #_{:type :no}
       {:type :info, :f :cas, :value [3 4], :process 1, :time 6000, :error ["time" :out]}
       {:type :info, :f :start, :value nil, :process :nemesis, :time 7000}
       {:type :info, :f :start, :value "cut \\"off\\"", :process :nemesis, :time 8000}]
      """;

  private static final String JSON =
      """
      {"type":"invoke","f":"write","value":3,"process":0,"time":1000,"index":0}
      {"type":"ok","f":"write","value":3,"process":0,"time":1100}
      {"type":"invoke","f":"cas","value":[3,4],"process":1,"time":5000}
      {"type":"info","f":"cas","value":[3,4],"process":1,"time":6000,"error":["time","out"]}
      {"type":"info","f":"start","value":null,"process":"nemesis","time":7000}
      {"type":"info","f":"start","value":"cut \\"off\\"","process":"nemesis","time":8000}
      """;

  @Test
  void histories_inEdnAndJson_haveTheSameEvents() {
    add(EDN);
    List<String> edn = events();
    Documents json = new Documents("app");
    json.add(
        "f",
        DocumentFormat.recognize(JSON.getBytes(StandardCharsets.UTF_8)).orElseThrow(),
        stream(JSON));

    assertThat(edn.stream().map(event -> event.replace("-" + (ORIGIN - 1), "1")))
        .containsExactly(
            "p0 1 SET:f=\"write\",SET:type=\"invoke\",SET:op=0,SET:value=3,ADD:invoked.write=[3],UNSET:error=null"
                + " invoke write 3",
            // Each operation has a microsecond of its own, because their order is known.
            "p0 -1795199999999998"
                + " SET:f=\"write\",SET:type=\"ok\",SET:op=0,SET:value=3,UNSET:error=null ok write"
                + " 3",
            "p1 -1795199999999995"
                + " SET:f=\"cas\",SET:type=\"invoke\",SET:op=2,SET:value=\"[3,4]\",ADD:invoked.cas=[4],UNSET:error=null"
                + " invoke cas [3,4]",
            "p1 -1795199999999994"
                + " SET:f=\"cas\",SET:type=\"info\",SET:op=2,SET:value=\"[3,4]\",SET:error=\"[\\\"time\\\",\\\"out\\\"]\""
                + " info cas [3,4]",
            "nemesis -1795199999999993"
                + " SET:f=\"start\",SET:type=\"info\",SET:op=4,UNSET:value=null,UNSET:error=null"
                + " info start null",
            "nemesis -1795199999999992 SET:f=\"start\",SET:type=\"info\",SET:op=4,SET:value=\"cut"
                + " \\\"off\\\"\",UNSET:error=null info start \"cut \\\"off\\\"\"");
    assertThat(bodies(json)).isEqualTo(readings().stream().map(ClockReading::bodies).toList());
  }

  private static List<List<EventBody>> bodies(Documents of) {
    List<List<EventBody>> all = new ArrayList<>();
    try (ReadingSource source = of.open()) {
      for (ClockReading next = source.next(); next != null; next = source.next()) {
        all.add(next.bodies());
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return all;
  }

  @Test
  void series_areVariables_andUnsetWhereTheyPause() {
    add(
        """
        {"status":"success","data":{"resultType":"matrix","result":[
          {"metric":{"__name__":"up","instance":"a","job":"x"},
           "values":[[1795200000,"1"],[1795200015,"0"],[1795200045,"1"]]},
          {"metric":{"__name__":"load","instance":"a","cpu":"0"},"values":[[1795200000.5,"NaN"]]},
          {"metric":{"__name__":"load","instance":"a","cpu":"1"},
           "values":[[1795200000,"1"],[1795200015,"+Inf"]]}]}}
        """);

    assertThat(events())
        .containsExactly(
            "a 0 SET:up=1,SET:load{cpu=\"1\"}=1.0",
            "a 500000 SET:load{cpu=\"0\"}=\"NaN\"",
            "a 15000000 SET:up=0,SET:load{cpu=\"1\"}=\"Infinity\"",
            "a 15500000 UNSET:load{cpu=\"0\"}=null",
            "a 30000000 UNSET:up=null,UNSET:load{cpu=\"1\"}=null",
            "a 45000000 SET:up=1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "OTLP|{\"resourceSpans\":7}|1: expected an array",
        "OTLP|{\"resourceSpans\":[}|1: not valid JSON at column 19",
        "ZIPKIN|[{\"traceId\":}|1: not valid JSON at column 13",
        "JEPSEN|{:type :maybe}|1: an operation of a history needs a type: invoke, ok, fail or info",
        "JEPSEN|{:type :ok}|1: an operation of a history needs a process",
        "JEPSEN|{:type :ok :process}|1: a map has a key without a value",
        "JEPSEN|{:type :ok :process 1 :time \"x\"}|1: time is no number of nanoseconds: x",
        "JEPSEN|}|1: unexpected }",
        "PROMETHEUS|{\"data\":{\"resultType\":\"vector\"}}|1: this is an answer of Prometheus of"
            + " the type vector: only those of query_range, of the type matrix, have times of a"
            + " range",
        "PROMETHEUS|{\"data\":{\"result\":[{\"values\":[[1]]}]}}|1: a sample is not a pair of time"
            + " and value",
        "PROMETHEUS|{\"data\":{\"result\":[{\"values\":[[1,\"x\"]]}]}}|a sample's value is no"
            + " number: x",
        "PROMETHEUS|{\"data\":{\"result\":[{\"values\":[[2,\"1\"],[1,\"1\"]]}]}}|1: the times of a"
            + " series do not ascend",
      })
  void documents_withMistakes_areRefused(DocumentFormat format, String text, String reason) {
    assertThatThrownBy(() -> documents.add("f", format, stream(text)))
        .isInstanceOfSatisfying(
            DocumentException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  @Test
  void values_thatAreTooDeepOrTooLarge_areRefused() {
    for (String text :
        List.of("{:type " + "[".repeat(200), "{:type \"" + "x".repeat(9_000_000) + "\"}")) {
      assertThatThrownBy(() -> documents.add("f", DocumentFormat.JEPSEN, stream(text)))
          .isInstanceOf(DocumentException.class)
          .hasMessageMatching("nested deeper than 150 levels|one value takes more than 16 MiB");
    }
    assertThatThrownBy(
            () ->
                documents.add(
                    "f", DocumentFormat.ZIPKIN, stream("[{\"a\":" + "[".repeat(155) + "1")))
        .hasMessage("nested deeper than 150 levels");
  }

  @Test
  void documents_thatAreNotInUtf8_areRefused_andAMarkIsNot() {
    for (DocumentFormat format : DocumentFormat.values()) {
      byte[] latin = "[{\"a\":\"\u00e9\"}]".getBytes(StandardCharsets.ISO_8859_1);
      assertThatThrownBy(() -> documents.add("f", format, new ByteArrayInputStream(latin)))
          .as(format.option())
          .hasMessage("not valid UTF-8");
    }
    add("\uFEFF" + otlp("a", span("1", "x", 10, 40, "")));
    assertThat(events()).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"data\":[{\"x\":1}]}",
        "[{\"traceId\":1}]",
        "{\"type\":\"x\",\"process\":1}",
        "2026-11-20 {:type :ok} :process",
        "[1]",
      })
  void texts_thatAreNoDocuments_areNone(String text) {
    assertThat(DocumentFormat.recognize(text.getBytes(StandardCharsets.UTF_8))).isEmpty();
  }
}
