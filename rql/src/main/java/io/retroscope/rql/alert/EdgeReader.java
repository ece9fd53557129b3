// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.ast.Statement.Verdict;
import io.retroscope.rql.print.ValueText;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The rows of an alert's stream as edges. Used by one thread. */
public final class EdgeReader {
  private List<Column> columns = List.of();

  /** Takes the columns of the rows. */
  public void columns(List<Column> of) {
    columns = List.copyOf(of);
  }

  /**
   * Returns the edges of a row: one, or both for an interval; none for the repetition of a rise.
   *
   * @param found packed, the stamp at which the walk found the row
   * @param digest by which the row is named if it is retracted
   */
  public List<Edge> edges(Row row, long found, long digest) {
    Map<String, Value> automatic = new HashMap<>();
    Map<String, Value> cut = new LinkedHashMap<>();
    String item = "";
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      Value value = row.values().get(i);
      if (column.automatic()) {
        automatic.put(column.name(), value);
      } else if (column.name().equals(AlertDefinition.ITEM)) {
        item = ValueText.of(value);
      } else {
        cut.put(shown(column.name()), value);
      }
    }
    if (BooleanValue.TRUE.equals(automatic.get(AutomaticColumns.REPEAT))) {
      return List.of();
    }
    Edge rise =
        new Edge(
            Edge.Kind.RISE,
            item,
            stamp(automatic, "hlc", row.hlc()),
            found,
            digest,
            text(automatic.get("time")),
            micros(automatic.get("uncertaintyMicros")),
            BooleanValue.TRUE.equals(automatic.get("borderline")),
            new StructValue(cut));
    if (Value.of("fall").equals(automatic.get("edge"))) {
      return List.of(asFall(rise, rise.hlc(), rise.time()));
    }
    return automatic.containsKey("edge")
        ? List.of(rise)
        : List.of(
            rise,
            asFall(rise, stamp(automatic, "endHlc", rise.hlc()), text(automatic.get("endTime"))));
  }

  private static Edge asFall(Edge rise, long hlc, String time) {
    return new Edge(
        Edge.Kind.FALL,
        rise.item(),
        hlc,
        rise.found(),
        rise.digest(),
        time,
        rise.uncertaintyMicros(),
        rise.isBorderline(),
        rise.cut());
  }

  private static String shown(String column) {
    return column.startsWith(Verdict.VALUE_OF)
        ? column.substring(Verdict.VALUE_OF.length())
        : column;
  }

  private static long stamp(Map<String, Value> columns, String name, long otherwise) {
    return columns.get(name) instanceof TimestampValue stamp ? stamp.packed() : otherwise;
  }

  private static OptionalLong micros(@Nullable Value value) {
    return value instanceof LongValue micros
        ? OptionalLong.of(micros.value())
        : OptionalLong.empty();
  }

  private static String text(@Nullable Value value) {
    return value instanceof StringValue text ? text.value() : "";
  }
}
