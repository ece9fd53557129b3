// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.JsonValues;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * An answer with times of aligned clocks. Which events are evidence depends on when a store was
 * opened, and the bounds that follow are all true, but differ by the rounding of each step.
 */
final class TimedAnswer implements RowSink {
  static final long ROUNDING_MICROS = 3;

  /** After many messages of at most 2 ms. */
  private static final long MOST_UNCERTAINTY_MICROS = 5_000;

  /** The columns that depend on the alignment. */
  private static final Set<String> ALIGNED =
      Set.of("time", "uncertaintyMicros", "durationUncertaintyMicros", "w");

  private final List<String> columns = new ArrayList<>();
  private final List<List<Value>> rows = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  static TimedAnswer of(QueryEngine engine, String query) {
    TimedAnswer answer = new TimedAnswer();
    engine.run(engine.prepare(query), answer);
    return answer;
  }

  /** The rows of a live query, each as JSON with the same columns. */
  static TimedAnswer ofLines(List<String> lines) {
    TimedAnswer answer = new TimedAnswer();
    for (String line : lines) {
      Map<String, Value> row = ((Value.StructValue) JsonValues.parse(line)).fields();
      if (answer.columns.isEmpty()) {
        answer.columns.addAll(row.keySet());
      }
      answer.rows.add(List.copyOf(row.values()));
    }
    return answer;
  }

  @Override
  public void columns(List<Column> all) {
    all.forEach(column -> columns.add(column.name()));
  }

  @Override
  public boolean row(Row row) {
    return rows.add(row.values());
  }

  @Override
  public void warning(String message) {
    warnings.add(message);
  }

  int rowCount() {
    return rows.size();
  }

  /** Checks that all are the same, except for the rounding of aligned times. */
  void assertIs(TimedAnswer expected, String query) {
    assertIsBesidesTimes(expected, query);
    for (int column = 0; column < columns.size(); column++) {
      if (ALIGNED.contains(columns.get(column))) {
        for (int row = 0; row < rows.size(); row++) {
          assertThat(micros(rows.get(row).get(column)))
              .as("%s, row %d, %s", query, row, columns.get(column))
              .isBetween(
                  micros(expected.rows.get(row).get(column)) - ROUNDING_MICROS,
                  micros(expected.rows.get(row).get(column)) + ROUNDING_MICROS);
        }
      }
    }
  }

  /** Checks everything but aligned times. */
  void assertIsBesidesTimes(TimedAnswer expected, String query) {
    assertThat(columns).as(query).isEqualTo(expected.columns);
    assertThat(warnings).as(query).isEqualTo(expected.warnings);
    assertThat(without(ALIGNED)).as(query).isEqualTo(expected.without(ALIGNED));
  }

  /**
   * Checks that the time of each row after a stamp is that of its event, within a narrow interval.
   *
   * @return how many such rows there are
   */
  long assertTrueTimes(long afterHlc, SkewedNodes nodes) {
    List<List<Value>> later =
        rows.stream().filter(row -> stamp(row.get(columns.indexOf("hlc"))) > afterHlc).toList();
    for (List<Value> row : later) {
      long uncertainty = micros(row.get(columns.indexOf("uncertaintyMicros")));
      assertThat(uncertainty).as("%s", row).isBetween(0L, MOST_UNCERTAINTY_MICROS);
      assertThat(nodes.timesMicros(stamp(row.get(columns.indexOf("hlc")))))
          .as("%s", row)
          .anySatisfy(
              time ->
                  assertThat(micros(row.get(columns.indexOf("time"))))
                      .isCloseTo(time, within(uncertainty + ROUNDING_MICROS)));
    }
    return later.size();
  }

  private static long stamp(Value text) {
    return HlcTimestamp.parse(((Value.StringValue) text).value());
  }

  private List<List<Value>> without(Set<String> left) {
    int[] kept =
        IntStream.range(0, columns.size()).filter(i -> !left.contains(columns.get(i))).toArray();
    return rows.stream().map(row -> IntStream.of(kept).mapToObj(row::get).toList()).toList();
  }

  private static long micros(Value value) {
    if (value instanceof Value.LongValue number) {
      return number.value();
    }
    if (value instanceof Value.TimestampValue stamp) {
      return HlcTimestamp.micros(stamp.packed());
    }
    String text = ((Value.StringValue) value).value();
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text));
  }
}
