// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A row of a demonstration's question. Immutable.
 *
 * @param hlc packed stamp of the cut
 * @param cells every column by name
 */
public record Match(long hlc, Map<String, Value> cells) {
  /** Later evidence may improve the first two; a past query excludes no node. */
  private static final Set<String> NOT_COMPARED = Set.of("time", "uncertaintyMicros", "missing");

  /** The row with the names of its columns. */
  public static Match of(List<Column> columns, Row row) {
    Map<String, Value> cells = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      cells.put(columns.get(i).name(), row.values().get(i));
    }
    return new Match(row.hlc(), cells);
  }

  /** Whether the condition became true at this edge. */
  public boolean isRise() {
    return isEdge("rise");
  }

  /** Whether the condition became false at this edge. */
  public boolean isFall() {
    return isEdge("fall");
  }

  private boolean isEdge(String kind) {
    return cells.get("edge") instanceof StringValue edge && edge.value().equals(kind);
  }

  /** Whether every node is included in this cut. */
  public boolean isComplete() {
    return !(cells.get("missing") instanceof SetValue missing) || missing.elements().isEmpty();
  }

  /** A whole number of the row; 0 if the column is absent or holds something else. */
  public long number(String column) {
    return cells.get(column) instanceof LongValue number ? number.value() : 0;
  }

  /** The duration of an interval, in microseconds; 0 for other rows. */
  public long durationMicros() {
    return number("durationMicros");
  }

  /** The cut's time of day, in UTC, to the millisecond. */
  public String timeOfDay() {
    String time =
        cells.get("time") instanceof StringValue text
            ? text.value()
            : HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
    return time.substring(time.indexOf('T') + 1, time.indexOf('T') + 1 + "00:00:00.000".length());
  }

  /**
   * The values of a variable at all nodes, in the form {@code zk1 41 zk2 44 zk3 -}, or the text of
   * a column that is one.
   */
  public String byNode(String column) {
    if (cells.get(column) instanceof StringValue text) {
      return text.value();
    }
    return cells.get(column) instanceof StructValue nodes
        ? nodes.fields().entrySet().stream()
            .map(entry -> entry.getKey() + " " + text(entry.getValue()))
            .collect(Collectors.joining("  "))
        : "";
  }

  private static String text(Value value) {
    if (value instanceof LongValue number) {
      return Long.toString(number.value());
    }
    if (value instanceof StringValue text) {
      return text.value();
    }
    if (value instanceof SetValue set) {
      return set.elements().stream()
          .map(Match::text)
          .sorted()
          .collect(Collectors.joining(",", "{", "}"));
    }
    return "-";
  }

  /** The columns that are equal in past and live results on the same data. */
  public Map<String, Value> comparable() {
    Map<String, Value> comparable = new LinkedHashMap<>(cells);
    comparable.keySet().removeAll(NOT_COMPARED);
    return comparable;
  }
}
