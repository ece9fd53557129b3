// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import static io.retroscope.server.ingest.OtlpRequest.TIME;
import static io.retroscope.server.ingest.OtlpRequest.log;
import static io.retroscope.server.ingest.OtlpRequest.logs;
import static io.retroscope.server.ingest.OtlpRequest.pair;
import static io.retroscope.server.ingest.OtlpRequest.span;
import static io.retroscope.server.ingest.OtlpRequest.spans;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.trace.v1.Status;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OtlpReaderTest {
  private static final long MAX_BYTES = 4 << 20;

  private static OtlpBatch read(OtlpSignal signal, byte[] body) {
    return read(signal, "identity", body, new MemoryBudget(64 << 20).charge());
  }

  private static OtlpBatch read(OtlpSignal signal, String encoding, byte[] body, Charge charge) {
    return new OtlpReader(MAX_BYTES).read(signal, Optional.of(encoding), body, charge);
  }

  private static Event first(List<NumberedEvent> events) {
    return events.get(0).event();
  }

  private static List<Long> stamps(OtlpBatch batch) {
    return batch.placed().stream().map(numbered -> numbered.event().hlc()).toList();
  }

  @Test
  void log_withoutStamp_isALineAtItsTime() {
    LogRecord.Builder record =
        log(TIME, "timeout")
            .setTraceId(ByteString.copyFrom(new byte[] {0x0a}))
            .addAttributes(pair("ms", AnyValue.newBuilder().setIntValue(1200).build()));

    Event event = first(read(OtlpSignal.LOGS, logs(record)).placed());

    assertThat(event.node()).isEqualTo("py@h1");
    assertThat(event.log()).isEqualTo("app");
    assertThat(HlcTimestamp.text(event.hlc())).isEqualTo("1795200000000500.492");
    assertThat(event.hasPhysical()).isFalse();
    assertThat(event.body())
        .isEqualTo(
            new EventBody.LogLine(
                "timeout",
                Map.of(
                    "level", Value.of("WARN"),
                    "logger", Value.of("orders"),
                    "trace", Value.of("0a"),
                    "ms", Value.of(1200))));
  }

  private static List<EventBody> bodies(OtlpBatch batch) {
    return batch.placed().stream().map(numbered -> numbered.event().body()).toList();
  }

  @Test
  void span_isALineAtItsStartAndOneAtItsEnd_andStateMeanwhile() {
    Status failed =
        Status.newBuilder().setCode(Status.StatusCode.STATUS_CODE_ERROR).setMessage("late").build();

    OtlpBatch batch = read(OtlpSignal.SPANS, spans(span(TIME, "GET /").setStatus(failed)));

    Map<String, Value> common =
        Map.of(
            "kind", Value.of("SERVER"),
            "trace", Value.of("0102"),
            "span", Value.of("ab"),
            "micros", Value.of(2_500),
            "error", Value.of(true),
            "status", Value.of("late"));
    Value names = new Value.SetValue(List.of(Value.of("GET /")));
    assertThat(first(batch.placed()).log()).isEqualTo("spans");
    assertThat(bodies(batch))
        .containsExactly(
            new EventBody.StateChange(
                List.of(
                    new Change(Operation.SET, "inflight.GET /", Value.of(1)),
                    new Change(Operation.ADD, "running", names))),
            new EventBody.LogLine("GET /", with(common, "scope", Value.of("orders"))),
            new EventBody.LogLine("GET /", with(common, "ended", Value.of(true))),
            new EventBody.StateChange(
                List.of(
                    new Change(Operation.SET, "inflight.GET /", Value.of(0)),
                    new Change(Operation.REMOVE, "running", names))));
    assertThat(stamps(batch).stream().map(HlcTimestamp::micros))
        .containsExactly(
            1795200000000500L, 1795200000000500L, 1795200000003000L, 1795200000003000L);
  }

  private static Map<String, Value> with(Map<String, Value> fields, String name, Value value) {
    Map<String, Value> all = new HashMap<>(fields);
    all.put(name, value);
    return all;
  }

  /** The clock of the stamp may be ahead of the span's. */
  @Test
  void span_withStamp_endsAsMuchLaterAsItLasted() {
    var span = span(TIME, "a").addAttributes(pair("hlc", "1795200000000700.3"));

    OtlpBatch batch = read(OtlpSignal.SPANS, spans(span));

    assertThat(HlcTimestamp.text(first(batch.stamped()).hlc())).isEqualTo("1795200000000700.3");
    assertThat(stamps(batch)).allMatch(stamp -> stamp > first(batch.stamped()).hlc());
    assertThat(stamps(batch).stream().map(HlcTimestamp::micros))
        .containsExactly(1795200000000700L, 1795200000003200L, 1795200000003200L);
  }

  @Test
  void span_withoutAnEnd_leavesAfterAnHour_marked() {
    OtlpBatch batch = read(OtlpSignal.SPANS, spans(span(TIME, "a").clearEndTimeUnixNano()));

    EventBody.LogLine end = (EventBody.LogLine) bodies(batch).get(2);
    assertThat(end.fields()).containsEntry("expired", Value.of(true)).doesNotContainKey("micros");
    assertThat(HlcTimestamp.micros(stamps(batch).get(2))).isEqualTo(1795203600000500L);
  }

  @Test
  void log_withATextOfItsSeverity_keepsItsNumber() {
    EventBody.LogLine line =
        (EventBody.LogLine)
            first(read(OtlpSignal.LOGS, logs(log(TIME, "a").setSeverityText("Advisory"))).placed())
                .body();

    assertThat(line.fields())
        .containsEntry("level", Value.of("Advisory"))
        .containsEntry("severityNumber", Value.of(13));
  }

  @Test
  void span_thatEndsBeforeItBegins_keepsItsNegativeDuration() {
    var span = span(TIME, "GET /").setEndTimeUnixNano(TIME - 1_500);

    OtlpBatch batch = read(OtlpSignal.SPANS, spans(span));

    EventBody.LogLine line = (EventBody.LogLine) bodies(batch).get(1);
    assertThat(line.fields()).containsEntry("micros", Value.of(-2));
    assertThat(stamps(batch).stream().map(HlcTimestamp::micros)).containsOnly(1795200000000500L);
  }

  @Test
  void record_withStamp_isAtIt() {
    OtlpBatch batch =
        read(
            OtlpSignal.LOGS, logs(log(TIME, "a").addAttributes(pair("hlc", "1795200000000700.3"))));

    assertThat(batch.placed()).isEmpty();
    assertThat(batch.firstPlaced()).isEmpty();
    Event event = first(batch.stamped());
    assertThat(HlcTimestamp.text(event.hlc())).isEqualTo("1795200000000700.3");
    assertThat(((EventBody.LogLine) event.body()).fields()).doesNotContainKey("hlc");
  }

  @Test
  void log_withoutTime_isAtTheTimeOfItsObservation() {
    LogRecord.Builder record = log(0, "a").setObservedTimeUnixNano(TIME);

    assertThat(stamps(read(OtlpSignal.LOGS, logs(record))))
        .containsExactly(HlcTimestamp.parse("1795200000000500.492"));
  }

  @Test
  void records_thatAreNoEvents_areRejectedAlone() {
    OtlpBatch batch =
        read(
            OtlpSignal.LOGS,
            logs(
                log(TIME, "good"),
                log(TIME, "bad").addAttributes(pair("hlc", "yesterday")),
                log(0, "never"),
                log(-1, "far"),
                log(TIME, "nameless").addAttributes(pair("", "x")),
                log(TIME, "long").addAttributes(pair("n".repeat(1_001), "x")),
                log(TIME, "deep").addAttributes(pair("x", nested(70)))));

    assertThat(batch.rejected()).isEqualTo(6);
    assertThat(batch.reason()).contains("record 2").contains("yesterday");
    assertThat(batch.placed()).hasSize(1);
    assertThat(read(OtlpSignal.LOGS, logs(log(0, "never"))).reason())
        .isEqualTo("record 1: it has neither a time nor the attribute hlc");
  }

  private static AnyValue nested(int depth) {
    AnyValue value = AnyValue.getDefaultInstance();
    for (int i = 0; i < depth; i++) {
      value = AnyValue.newBuilder().setArrayValue(ArrayValue.newBuilder().addValues(value)).build();
    }
    return value;
  }

  @Test
  void values_ofEveryType_areKept() {
    AnyValue one = AnyValue.newBuilder().setIntValue(1).build();
    LogRecord.Builder record =
        log(TIME, "")
            .setBody(
                AnyValue.newBuilder()
                    .setKvlistValue(KeyValueList.newBuilder().addValues(pair("a", one))))
            .addAttributes(pair("truth", AnyValue.newBuilder().setBoolValue(true).build()))
            .addAttributes(pair("real", AnyValue.newBuilder().setDoubleValue(0.5).build()))
            .addAttributes(
                pair(
                    "bytes",
                    AnyValue.newBuilder()
                        .setBytesValue(ByteString.copyFrom(new byte[] {(byte) 0xfe}))
                        .build()))
            .addAttributes(
                pair(
                    "many",
                    AnyValue.newBuilder()
                        .setArrayValue(ArrayValue.newBuilder().addValues(one))
                        .build()))
            .addAttributes(pair("none", AnyValue.getDefaultInstance()))
            .addAttributes(pair("level", "not the level"));

    EventBody.LogLine line =
        (EventBody.LogLine) first(read(OtlpSignal.LOGS, logs(record)).placed()).body();

    assertThat(line.fields())
        .containsEntry("body", new Value.StructValue(Map.of("a", Value.of(1))))
        .containsEntry("truth", Value.of(true))
        .containsEntry("real", Value.of(0.5))
        .containsEntry("bytes", Value.of("fe"))
        .containsEntry("many", new Value.SetValue(List.of(Value.of(1))))
        .containsEntry("none", Value.NullValue.NULL)
        .containsEntry("level", Value.of("WARN"));
  }

  @Test
  void node_isNamedByTheMostExactAttribute() {
    assertThat(node(Map.of())).isEqualTo("unknown_service");
    assertThat(node(Map.of("service.name", "py"))).isEqualTo("py");
    assertThat(node(Map.of("service.name", "py", "", "nameless"))).isEqualTo("py");
    Map<String, String> instance = Map.of("service.name", "py", "service.instance.id", "7");
    assertThat(node(instance)).isEqualTo("py@7");
    assertThat(node(Map.of("service.name", "py", "host.name", "h", "service.instance.id", "7")))
        .isEqualTo("py@h");
    assertThat(node(Map.of("service.name", "py", "retroscope.node", "zk1"))).isEqualTo("zk1");
    assertThat(
            read(OtlpSignal.LOGS, logs(Map.of("retroscope.node", "n".repeat(201)), log(1, "")))
                .reason())
        .contains("node must have 1 to 200 characters");
  }

  private static String node(Map<String, String> resource) {
    return first(read(OtlpSignal.LOGS, logs(resource, log(TIME, "a"))).placed()).node();
  }

  /** Fields may come in any order on the wire. */
  @Test
  void resource_afterItsRecords_namesTheirNode() {
    byte[] request = logs(log(TIME, "a"));
    ByteArrayOutputStream swapped = new ByteArrayOutputStream();
    // Each message is preceded by its tag and one byte with its length.
    int resourceEnd = 4 + request[3];
    swapped.write(request, 0, 2);
    swapped.write(request, resourceEnd, request.length - resourceEnd);
    swapped.write(request, 2, resourceEnd - 2);

    assertThat(first(read(OtlpSignal.LOGS, swapped.toByteArray()).placed()).node())
        .isEqualTo("py@h1");
  }

  @Test
  void times_thatAreEqual_giveTheSameDistinctStampsEachTime() {
    byte[] request =
        logs(
            log(TIME + 1, "c"),
            log(TIME, "a"),
            log(TIME, "b"),
            log(TIME, "b"),
            log(TIME, "b"),
            log(TIME, "b"));

    List<Long> stamps = stamps(read(OtlpSignal.LOGS, request));

    assertThat(stamps).isSorted().doesNotHaveDuplicates().hasSize(6);
    assertThat(stamps).isEqualTo(stamps(read(OtlpSignal.LOGS, request)));
    assertThat(first(read(OtlpSignal.LOGS, request).placed()).body())
        .hasFieldOrPropertyWithValue("message", "a");
  }

  @Test
  void submission_toUnmarkedNodes_beginsWithTheWarning() {
    OtlpBatch batch = read(OtlpSignal.LOGS, logs(log(TIME, "a")));
    long placed = stamps(batch).get(0);

    List<NumberedEvent> lines = batch.submission(1, Set.of("py@h1")).lines();

    assertThat(lines).hasSize(2);
    assertThat(lines.get(0).event().log()).isEqualTo("retroscope");
    assertThat(lines.get(0).event().hlc()).isEqualTo(placed - 1 + 4096);
    assertThat(lines.get(1).event().hlc()).isEqualTo(placed + 4096);
    assertThat(batch.submission(0, Set.of()).lines()).hasSize(1);
  }

  @Test
  void body_thatIsDamaged_isRefused() {
    byte[] good = logs(log(TIME, "a"));
    assertRefused(new byte[] {1, 2, 3}, "identity", BadBatchException.Kind.CONTENT);
    assertRefused(good, "gzip", BadBatchException.Kind.CONTENT);
    assertRefused(good, "zstd", BadBatchException.Kind.UNSUPPORTED);
    assertRefused(new byte[(int) MAX_BYTES + 1], "identity", BadBatchException.Kind.TOO_LARGE);
    for (int length = 1; length < good.length; length++) {
      assertRefused(Arrays.copyOf(good, length), "identity", BadBatchException.Kind.CONTENT);
    }
  }

  private static void assertRefused(byte[] body, String encoding, BadBatchException.Kind kind) {
    assertThatThrownBy(
            () -> read(OtlpSignal.LOGS, encoding, body, new MemoryBudget(64 << 20).charge()))
        .isInstanceOfSatisfying(BadBatchException.class, e -> assertThat(e.kind()).isEqualTo(kind));
  }

  /** Two bytes each on the wire: as objects they would take a hundred times as much. */
  @Test
  void records_thatAreEmpty_takeNoMemory() {
    LogRecord.Builder[] empty = new LogRecord.Builder[100_000];
    Arrays.fill(empty, LogRecord.newBuilder());
    byte[] request = logs(empty);
    Charge charge = new MemoryBudget(64 << 20).charge();

    assertThat(read(OtlpSignal.LOGS, "identity", request, charge).rejected()).isEqualTo(100_000);
    assertThat(charge.bytes()).isLessThan(3L * request.length);
  }

  @Test
  void events_beyondTheBudget_areRefused() {
    LogRecord.Builder[] records = new LogRecord.Builder[10_000];
    Arrays.fill(records, log(TIME, "a"));
    byte[] request = logs(records);

    Charge charge = new MemoryBudget(64 << 20).charge();
    OtlpBatch batch = read(OtlpSignal.LOGS, "identity", request, charge);
    assertThat(batch.sizeBytes()).isGreaterThan(10_000 * 300);
    assertThat(charge.bytes()).isGreaterThanOrEqualTo(batch.sizeBytes());
    assertThatThrownBy(
            () ->
                read(
                    OtlpSignal.LOGS,
                    "identity",
                    request,
                    new MemoryBudget(4L * request.length).charge()))
        .isInstanceOf(OverBudgetException.class);
  }
}
