// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.json.ResultReader;
import io.retroscope.rql.json.ResultWriter;
import io.retroscope.rql.oracle.NaiveQuery.NaiveRow;
import io.retroscope.rql.oracle.OracleTest.Result;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that values of each type are the same at the end of each way that they take. */
class TypesOfValuesTest {
  private static final long STAMP = HlcTimestamp.pack(1_000);

  /** The types of which no event holds values. */
  private static final List<Class<?>> OF_QUERIES =
      List.of(DurationValue.class, TimestampValue.class);

  private static final List<Value> SAMPLES =
      List.of(
          NullValue.NULL,
          Value.of(true),
          Value.of(Long.MIN_VALUE),
          Value.of(0.1),
          Value.of("1.10"),
          new DurationValue(-1),
          new TimestampValue(STAMP),
          Value.setOf(Value.of(2), Value.of(1.5)),
          new StructValue(Map.of("$micros", Value.of(7))));

  private static Stream<Class<?>> types(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(TypesOfValuesTest::types)
        : Stream.of(type);
  }

  /** The samples, each alone, in a set and in a struct, as variables of one event. */
  private static List<Value> values(boolean areOfEvents) {
    List<Value> values = new ArrayList<>();
    for (Value sample : SAMPLES) {
      if (!areOfEvents || !OF_QUERIES.contains(sample.getClass())) {
        values.add(sample);
        values.add(Value.setOf(sample, Value.of("x")));
        values.add(new StructValue(Map.of("f", sample)));
      }
    }
    return values;
  }

  private static Event event() {
    List<Value> values = values(true);
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      changes.add(QuietRuleTest.set("v" + i, values.get(i)));
    }
    return new Event("n", "t", STAMP, new StateChange(changes));
  }

  @Test
  void samples_areOfEachType() {
    assertThat(SAMPLES)
        .extracting(Object::getClass)
        .containsExactlyInAnyOrderElementsOf(types(Value.class).toList());
  }

  @Test
  void block_ofEachType_isDecodedAsItWas() throws IOException {
    EventBlock block = new EventBlockBuilder().add(event()).build();

    EventBlock decoded = EventBlockCodec.decodeBlock(EventBlockCodec.encode(block));

    assertThat(decoded.event(0)).isEqualTo(event());
  }

  @Test
  void line_ofEachType_isReadAsItWas() throws IOException {
    byte[] line = NdjsonWriter.line(event()).getBytes(StandardCharsets.UTF_8);

    NdjsonReader reader =
        new NdjsonReader(new ByteArrayInputStream(line), NdjsonReader.Limits.FILE);

    assertThat(reader.next()).contains(event());
  }

  @Test
  void query_ofEachType_findsWhatWasWritten() {
    List<Event> events = List.of(event());
    List<Value> values = values(true);
    StringBuilder text = new StringBuilder("SELECT v0@n");
    for (int i = 1; i < values.size(); i++) {
      text.append(", v").append(i).append("@n");
    }
    text.append(" FROM t WHEN TRUE;");
    for (QueryEngine engine :
        List.of(
            OracleTest.engine(events),
            new QueryEngine(
                new SealedSource(OracleTest.source(events), events, new Random(1)),
                OracleTest.LIMITS))) {
      Result result = new Result(text.toString());
      engine.run(engine.prepare(text.toString()), result);
      assertThat(result.rows()).hasSize(1);
      assertThat(result.rows().get(0).values()).endsWith(values.toArray(Value[]::new));
    }
  }

  @Test
  void result_ofEachType_isReadAsItWas() {
    List<Value> values = values(false);
    Result result = new Result("");
    ResultReader reader = new ResultReader(result);
    ResultWriter writer = new ResultWriter(reader::line);

    writer.columns(Collections.nCopies(values.size(), new Column("v", false)));
    writer.row(new Row(STAMP, 0, values, Optional.empty()));

    assertThat(result.rows()).extracting(NaiveRow::values).containsExactly(values);
  }
}
