// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NdjsonReaderTest {
  private static final String PREFIX = "{\"node\":\"a\",\"log\":\"l\",\"hlc\":\"5.0\",";

  @Test
  void next_stateChange_isAppliedInOrderSetAddRemoveUnset() throws IOException {
    Event event =
        one(
            "{\"unset\":[\"d\"],\"remove\":{\"c\":[2]},\"add\":{\"b\":[1,1.0]},"
                + "\"set\":{\"x\":4,\"y\":3.0},\"node\":\"zk1\",\"log\":\"setd\","
                + "\"hlc\":\"1795200000000000.3\",\"pt\":1795199999999120,\"seq\":17}");

    assertThat(event)
        .isEqualTo(
            new Event(
                "zk1",
                "setd",
                HlcTimestamp.pack(1795200000000000L, 3),
                1795199999999120L,
                17,
                Set.of(),
                new StateChange(
                    List.of(
                        new Change(Operation.SET, "x", Value.of(4)),
                        new Change(Operation.SET, "y", Value.of(3.0)),
                        new Change(Operation.ADD, "b", Value.setOf(Value.of(1))),
                        new Change(Operation.REMOVE, "c", Value.setOf(Value.of(2))),
                        new Change(Operation.UNSET, "d", NullValue.NULL)))));
  }

  @Test
  void next_eachKind_isRead() throws IOException {
    assertThat(body("\"message\":\"timeout\",\"fields\":{\"level\":\"WARN\",\"ms\":1200}"))
        .isEqualTo(
            new EventBody.LogLine(
                "timeout", Map.of("level", Value.of("WARN"), "ms", Value.of(1200))));
    assertThat(body("\"send\":{\"to\":\"b\",\"id\":\"m1\"}"))
        .isEqualTo(new EventBody.Send("b", "m1"));
    assertThat(body("\"receive\":{\"id\":\"m1\"}")).isEqualTo(new EventBody.Receive("", "m1"));
    assertThat(one("{\"node\":\"a\",\"hlc\":7,\"heartbeat\":true}"))
        .isEqualTo(new Event("a", "", HlcTimestamp.pack(7), new EventBody.Heartbeat()));
    assertThat(one("{\"node\":\"a\",\"hlc\":\"7\",\"stop\":true}"))
        .isEqualTo(new Event("a", "", HlcTimestamp.pack(7), new EventBody.Stop()));
    assertThat(one("{\"node\":\"a\",\"hlc\":\"7\",\"start\":{\"incarnation\":\"5f2c\"}}").body())
        .isEqualTo(
            new EventBody.Start("5f2c", HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE));
  }

  @Test
  void next_markCarriageReturnsAndBlankLines_areTaken() throws IOException {
    String line = "{\"node\":\"a\",\"hlc\":1,\"heartbeat\":true}";
    NdjsonReader reader = reader("\uFEFF" + line + "\r\n\r\n  \t\n" + line);

    assertThat(reader.next()).isPresent();
    assertThat(reader.next()).isPresent();
    assertThat(reader.lineNumber()).isEqualTo(4);
    assertThat(reader.next()).isEmpty();
  }

  @Test
  void next_markInTheMiddle_isNamed() throws IOException {
    String line = "{\"node\":\"a\",\"hlc\":1,\"heartbeat\":true}";
    NdjsonReader reader = reader("\uFEFF" + line + "\n\uFEFF" + line);

    assertThat(reader.next()).isPresent();
    assertThatThrownBy(reader::next)
        .hasMessage(
            "line 2: a byte order mark in the middle of the text, as if files with one were joined:"
                + " remove its three bytes EF BB BF");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\\n \"resourceLogs\": [{}]}|OpenTelemetry's JSON",
        "{\"resourceSpans\":[]}|OpenTelemetry's JSON",
        "[{\"traceId\":\"1\",\"id\":\"2\",\"localEndpoint\":{}}]|Zipkin's JSON",
        "[{\"node\":\"a\",\"x\":[1]}]|one array of JSON of objects with the fields \"node\", \"x\":"
            + " arrays",
        "[1,2]|one array of JSON: arrays are read if they are Zipkin's spans",
        "{\"resourceMetrics\":[]}|JSON of metrics, which is not read",
        "{\"traceEvents\":[{\"a\":1}],\"x\":2}|this JSON object with the fields \"traceEvents\","
            + " \"x\" is no event, and no document of a form that is read",
        "[\\n{\"node\":\"a\"}]|one array of JSON",
        "{\\n \"node\":\"a\",\\n \"hlc\":1}|this JSON object takes several lines",
        "{\"node\":\"a\",\"hlc\":1,\"heartbeat\":|not valid JSON",
        "{\"node\":\"a\",\\n{\"node\":\"a\"}|not valid JSON",
        "{\"node\":\"a\",\"resourceLogs\":\"resourceLogs\"}|OpenTelemetry's JSON",
        "{\"node\":\"a\",\"hlc\":1,\"other\":1}|is not a field of an event",
      })
  void next_jsonThatIsNotLines_isNamed(String text, String named) {
    assertThatThrownBy(() -> one(text.replace("\\n", "\n"))).hasMessageContaining(named);
  }

  static Stream<Arguments> values() {
    return Stream.of(
        arguments("null", NullValue.NULL),
        arguments("true", Value.of(true)),
        arguments("-9223372036854775808", Value.of(Long.MIN_VALUE)),
        arguments("3.0", Value.of(3.0)),
        arguments("1e2", Value.of(100.0)),
        arguments("\"\\u00e9\\ud83d\\ude00\"", Value.of("é😀")),
        arguments("[2,1,1]", Value.setOf(Value.of(1), Value.of(2))),
        arguments("{\"term\":3}", new Value.StructValue(Map.of("term", Value.of(3)))));
  }

  @ParameterizedTest
  @MethodSource("values")
  void next_value_hasTheTypeOfItsText(String json, Value expected) throws IOException {
    assertThat(body("\"set\":{\"x\":" + json + "}"))
        .isEqualTo(new StateChange(List.of(new Change(Operation.SET, "x", expected))));
  }

  static Stream<Arguments> badLines() {
    String node = "{\"node\":\"a\",\"log\":\"l\",";
    return Stream.of(
        arguments("[1]", "", "expected one JSON object"),
        arguments("{\"node\":\"a\"", "", "not valid JSON at column"),
        arguments("{} {}", "", "more than one JSON object on the line"),
        arguments("{\"log\":\"l\",\"hlc\":1,\"stop\":true}", "node", "is missing"),
        arguments("{\"node\":\"\",\"hlc\":1,\"stop\":true}", "node", "1 to 200 characters"),
        arguments("{\"node\":7,\"hlc\":1,\"stop\":true}", "node", "must be a string"),
        arguments(node + "\"set\":{\"x\":1}}", "hlc", "is missing"),
        arguments(node + "\"hlc\":1.5,\"set\":{\"x\":1}}", "hlc", "loses digits"),
        arguments(node + "\"hlc\":1.0,\"set\":{\"x\":1}}", "hlc", "loses digits"),
        arguments(node + "\"hlc\":-1,\"set\":{\"x\":1}}", "hlc", "must be within 0..45035"),
        arguments(node + "\"hlc\":\"5.4096\",\"set\":{\"x\":1}}", "hlc", "outside 0..4095"),
        arguments(node + "\"hlc\":\"soon\",\"set\":{\"x\":1}}", "hlc", "not an HLC timestamp"),
        arguments(node + "\"hlc\":true,\"set\":{\"x\":1}}", "hlc", "must be a string"),
        arguments("{\"node\":\"a\",\"hlc\":1,\"set\":{\"x\":1}}", "log", "is missing"),
        arguments(PREFIX + "\"pt\":1.5,\"set\":{\"x\":1}}", "pt", "must be an integer"),
        arguments(PREFIX + "\"seq\":0,\"set\":{\"x\":1}}", "seq", "must be within 1.."),
        arguments(PREFIX + "\"sett\":{\"x\":1}}", "sett", "is not a field of an event"),
        arguments(PREFIX + "\"node\":\"b\",\"set\":{\"x\":1}}", "node", "is given twice"),
        arguments(PREFIX + "\"set\":{\"x\":1,\"x\":1}}", "set.x", "is given twice"),
        arguments(PREFIX + "\"set\":{\"x\":{\"y\":1,\"y\":1}}}", "set.x.y", "is given twice"),
        arguments(PREFIX + "\"set\":{\"\":1}}", "set", "1 to 4096 characters"),
        arguments(PREFIX + "\"set\":{}}", "", "changes nothing"),
        arguments(PREFIX + "\"seq\":1}", "", "has no content"),
        arguments(PREFIX + "\"add\":{\"x\":1}}", "add.x", "must be an array"),
        arguments(PREFIX + "\"unset\":{\"x\":1}}", "unset", "must be an array"),
        arguments(PREFIX + "\"unset\":[\"x\",\"x\"]}", "unset", "names \"x\" twice"),
        arguments(PREFIX + "\"set\":{\"x\":9223372036854775808}}", "set.x", "outside 64 bits"),
        arguments(PREFIX + "\"set\":{\"x\":1e999}}", "set.x", "too large for a DOUBLE"),
        arguments(PREFIX + "\"set\":{\"x\":\"\\ud800\"}}", "set.x", "half a surrogate pair"),
        arguments(PREFIX + "\"set\":{\"x\":-INF}}", "set.x", "number too large for a DOUBLE"),
        arguments(PREFIX + "\"set\":{\"x\":nan}}", "", "not valid JSON at column"),
        arguments(PREFIX + "\"fields\":{\"x\":1}}", "fields", "requires a \"message\""),
        arguments(
            PREFIX + "\"message\":\"m\",\"set\":{\"x\":1}}", "set", "combined with \"message\""),
        arguments(PREFIX + "\"send\":{\"to\":\"b\"}}", "send.id", "is missing"),
        arguments(PREFIX + "\"send\":{\"id\":\"\"}}", "send.id", "must not be empty"),
        arguments(
            PREFIX + "\"send\":{\"id\":\"1\",\"x\":1}}", "send.x", "is not a field of \"send\""),
        arguments(PREFIX + "\"heartbeat\":false}", "heartbeat", "must be true"),
        arguments(PREFIX + "\"start\":{}}", "start.incarnation", "is missing"),
        arguments(
            PREFIX + "\"start\":{\"incarnation\":\"1\",\"spill\":\"gone\"}}",
            "start.spill",
            "is not one of complete, lost, pending"),
        arguments(PREFIX + "\"lost\":{\"from\":\"1.0\"}}", "lost.events", "integer within 1.."),
        arguments(PREFIX + "\"lost\":{\"events\":1}}", "lost.from", "is missing"),
        arguments(
            PREFIX + "\"lost\":{\"from\":\"4000000000000000.0\",\"events\":1}}",
            "lost.from",
            "is after \"hlc\""));
  }

  @ParameterizedTest
  @MethodSource("badLines")
  void next_badLine_namesLineFieldAndReason(String line, String field, String reason)
      throws IOException {
    NdjsonReader reader = reader("{\"node\":\"a\",\"hlc\":1,\"heartbeat\":true}\n" + line + "\n");
    reader.next();

    assertThatThrownBy(reader::next)
        .isInstanceOfSatisfying(
            NdjsonException.class,
            e -> {
              assertThat(e.line()).isEqualTo(2);
              assertThat(e.field()).isEqualTo(field);
              assertThat(e.reason()).contains(reason);
              assertThat(e).hasMessageStartingWith("line 2");
            });
  }

  @Test
  void next_invalidUtf8_isRefused() throws IOException {
    byte[] text = (PREFIX + "\"message\":\"?\"}").getBytes(StandardCharsets.UTF_8);
    text[text.length - 3] = (byte) 0xC3;

    assertThatThrownBy(
            () ->
                new NdjsonReader(new ByteArrayInputStream(text), NdjsonReader.Limits.BATCH).next())
        .hasMessage("line 1: not valid UTF-8");
  }

  @Test
  void next_deepValue_isRefusedWithoutOverflow() {
    String deep = "[".repeat(100_000) + "]".repeat(100_000);

    assertThatThrownBy(() -> one(PREFIX + "\"set\":{\"x\":" + deep + "}}"))
        .isInstanceOf(NdjsonException.class)
        .hasMessage("line 1, field \"set.x\": nested deeper than 64 levels");
  }

  @Test
  void linesOnThePage_areOfEachKind() throws IOException {
    String page = Files.readString(Path.of("../docs/format/events-ndjson.md"));
    String lines =
        page.lines()
            .filter(line -> line.startsWith("    {\"node\""))
            .map(String::strip)
            .collect(Collectors.joining("\n"));
    NdjsonReader reader = reader(lines);
    assertThat(readAll(reader)).hasSize((int) lines.lines().count() - 1);
    assertThat(reader.gaps()).hasSize(1);
  }

  @Test
  void next_limits_areExact() throws IOException {
    String line = PREFIX + "\"message\":\"m\"}";
    byte[] text = (line + "\n" + line + "\n").getBytes(StandardCharsets.UTF_8);
    NdjsonReader exact =
        new NdjsonReader(
            new ByteArrayInputStream(text), new NdjsonReader.Limits(line.length(), text.length));
    NdjsonReader shortLine =
        new NdjsonReader(
            new ByteArrayInputStream(text), new NdjsonReader.Limits(line.length() - 1, 1000));
    NdjsonReader shortBatch =
        new NdjsonReader(
            new ByteArrayInputStream(text), new NdjsonReader.Limits(1000, text.length - 1));

    assertThat(readAll(exact)).hasSize(2);
    assertThatThrownBy(shortLine::next)
        .hasMessage("line 1: the line is longer than " + (line.length() - 1) + " bytes");
    assertThatThrownBy(() -> readAll(shortBatch)).hasMessageContaining("the batch is longer than");
  }

  @Test
  void next_randomlyDamagedLines_givesAnEventOrAnNdjsonException() throws IOException {
    long seed = Long.getLong("retroscope.seed", 20261121);
    Random random = new Random(seed);
    String line =
        "{\"node\":\"zk1\",\"log\":\"setd\",\"hlc\":\"1795200000000000.3\",\"pt\":17,\"seq\":17,"
            + "\"set\":{\"r1\":4,\"s\":[1,2.5,{\"a\":null}]},\"unset\":[\"q\"]}\n";
    int refused = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i <= random.nextInt(3); i++) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      try {
        readAll(new NdjsonReader(new ByteArrayInputStream(bytes), NdjsonReader.Limits.BATCH));
      } catch (NdjsonException expected) {
        refused++;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ", round " + round, e);
      }
    }
    assertThat(refused).isBetween(10_000, 20_000);
  }

  @Test
  void line_randomEvents_readBackEqual() throws IOException {
    long seed = Long.getLong("retroscope.seed", 7);
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      Event event = randomEvent(random);
      String line = NdjsonWriter.line(event);
      assertThat(one(line)).as("seed %d, round %d: %s", seed, round, line).isEqualTo(event);
    }
  }

  @Test
  void gaps_linesThatTellOfLosses_areNoEventsAndReadBackEqual() throws IOException {
    Gap gap = new Gap("a", new HlcRange(HlcTimestamp.pack(1_000), HlcTimestamp.pack(2_000, 7)), 17);
    NdjsonReader reader =
        reader(
            """
            %s
            {"node":"a","hlc":3000,"heartbeat":true}
            """
                .formatted(NdjsonWriter.line(gap)));

    assertThat(NdjsonWriter.line(gap))
        .isEqualTo(
            "{\"node\":\"a\",\"hlc\":\"2000.7\",\"lost\":{\"from\":\"1000.0\",\"events\":17}}");
    assertThat(readAll(reader)).hasSize(1);
    assertThat(reader.gaps()).containsExactly(gap);
  }

  @Test
  void gaps_moreThanThereIsRoomFor_areRefused() {
    String line = "{\"node\":\"a\",\"hlc\":2,\"lost\":{\"from\":\"1.0\",\"events\":1}}\n";
    NdjsonReader reader = reader(line.repeat(NdjsonReader.MAX_GAPS + 1));

    assertThatThrownBy(reader::next)
        .hasMessage("line 100001, field \"lost\": more than 100000 losses");
  }

  private static Event randomEvent(Random random) {
    EventBody body = randomBody(random);
    boolean ofTheNode =
        body instanceof EventBody.Heartbeat
            || body instanceof EventBody.Start
            || body instanceof EventBody.Stop;
    return new Event(
        "n" + random.nextInt(5),
        ofTheNode ? "" : "log",
        HlcTimestamp.pack(random.nextLong(HlcTimestamp.MAX_MICROS), random.nextInt(4096)),
        random.nextBoolean() ? Event.NO_PHYSICAL : random.nextLong(HlcTimestamp.MAX_MICROS),
        random.nextInt(3),
        random.nextBoolean() ? Set.of() : Set.of(EventMark.REPAIR, EventMark.UNORDERED),
        body);
  }

  private static EventBody randomBody(Random random) {
    return switch (random.nextInt(7)) {
      case 0 -> new EventBody.LogLine("\"\n\u0001", Map.of("k", randomValue(random, 2)));
      case 1 -> new EventBody.Send(random.nextBoolean() ? "" : "b", "m\\1");
      case 2 -> new EventBody.Receive(random.nextBoolean() ? "" : "b", "é");
      case 3 -> new EventBody.Heartbeat();
      case 4 ->
          new EventBody.Start(
              "i",
              random.nextBoolean() ? HlcTimestamp.MIN_PACKED : HlcTimestamp.pack(9, 9),
              random.nextBoolean() ? "" : "p",
              random.nextBoolean() ? EventBody.Spill.LOST : EventBody.Spill.PENDING);
      case 5 -> new EventBody.Stop();
      default ->
          new StateChange(
              List.of(
                  new Change(Operation.SET, "x", randomValue(random, 3)),
                  new Change(Operation.ADD, "y", Value.setOf(randomValue(random, 1))),
                  new Change(Operation.REMOVE, "y", Value.setOf(randomValue(random, 1))),
                  new Change(Operation.UNSET, "z", NullValue.NULL)));
    };
  }

  private static Value randomValue(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 5 : 7)) {
      case 0 -> NullValue.NULL;
      case 1 -> Value.of(random.nextBoolean());
      case 2 -> Value.of(random.nextLong() >> random.nextInt(64));
      case 3 -> Value.of(random.nextGaussian() * Math.pow(10, random.nextInt(600) - 300));
      case 4 -> Value.of("s" + (char) ('a' + random.nextInt(26)));
      case 5 -> Value.setOf(randomValue(random, depth - 1), randomValue(random, depth - 1));
      default -> new Value.StructValue(Map.of("f", randomValue(random, depth - 1)));
    };
  }

  private static EventBody body(String rest) throws IOException {
    return one(PREFIX + rest + "}").body();
  }

  private static Event one(String line) throws IOException {
    return reader(line).next().orElseThrow();
  }

  private static NdjsonReader reader(String text) {
    return new NdjsonReader(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), NdjsonReader.Limits.BATCH);
  }

  private static List<Event> readAll(NdjsonReader reader) throws IOException {
    List<Event> events = new ArrayList<>();
    for (Optional<Event> e = reader.next(); e.isPresent(); e = reader.next()) {
      events.add(e.get());
    }
    return events;
  }
}
