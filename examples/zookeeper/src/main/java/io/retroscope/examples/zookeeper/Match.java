package io.retroscope.examples.zookeeper;

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
 * A row of the staleness query: an edge at which replicas fell behind or caught up.
 *
 * @param hlc packed stamp of the cut
 * @param cells every column by name
 */
record Match(long hlc, Map<String, Value> cells) {
  /** Later evidence may improve the first two; a past query excludes no node. */
  private static final Set<String> NOT_COMPARED = Set.of("time", "uncertaintyMicros", "missing");

  static Match of(List<Column> columns, Row row) {
    Map<String, Value> cells = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      cells.put(columns.get(i).name(), row.values().get(i));
    }
    return new Match(row.hlc(), cells);
  }

  /** Whether replicas fell behind at this edge; if not, they caught up. */
  boolean isRise() {
    return cells.get("edge") instanceof StringValue edge && edge.value().equals("rise");
  }

  /** Whether every node is included in this cut. */
  boolean isComplete() {
    return !(cells.get("missing") instanceof SetValue missing) || missing.elements().isEmpty();
  }

  /** The number of versions between the newest and the oldest replica. */
  long staleness() {
    return cells.get("staleness") instanceof LongValue staleness ? staleness.value() : 0;
  }

  /** The duration of an interval, in microseconds; 0 for other rows. */
  long durationMicros() {
    return cells.get("durationMicros") instanceof LongValue micros ? micros.value() : 0;
  }

  /** The cut's time of day, in UTC, to the millisecond. */
  String timeOfDay() {
    String time =
        cells.get("time") instanceof StringValue text
            ? text.value()
            : HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
    return time.substring(time.indexOf('T') + 1, time.indexOf('T') + 1 + "00:00:00.000".length());
  }

  /** The versions in the form {@code zk1 41 zk2 44 zk3 44}. */
  String versions() {
    return cells.get("r1") instanceof StructValue r1
        ? r1.fields().entrySet().stream()
            .map(entry -> entry.getKey() + " " + text(entry.getValue()))
            .collect(Collectors.joining("  "))
        : "";
  }

  private static String text(Value value) {
    return value instanceof LongValue version ? Long.toString(version.value()) : "-";
  }

  /** The columns that are equal in past and live results on the same data. */
  Map<String, Value> comparable() {
    Map<String, Value> comparable = new LinkedHashMap<>(cells);
    comparable.keySet().removeAll(NOT_COMPARED);
    return comparable;
  }
}
