// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.DurationValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.json.JsonBuffer;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/**
 * One object with a point for each selected value of each node, for programs that draw series of
 * points, such as Grafana. Used by one thread.
 */
final class SeriesForm implements AnswerForm {
  /** The most points: a browser draws no more. */
  static final int MAX_POINTS = 200_000;

  private static final int MAX_WARNINGS = 100;
  private static final String START = "{\"series\":[";

  private final JsonBuffer.Out out;
  private final List<String> warnings = new ArrayList<>();
  private List<Column> columns = List.of();
  private int timeColumn = -1;
  private int points;
  private boolean isComplete = true;

  SeriesForm(JsonBuffer.Out out) {
    this.out = out;
  }

  @Override
  public void columns(List<Column> all) {
    columns = all;
    for (int i = 0; i < all.size(); i++) {
      timeColumn = all.get(i).automatic() && all.get(i).name().equals("time") ? i : timeColumn;
    }
  }

  @Override
  public boolean row(Row row) {
    boolean wanted = true;
    for (int i = 0; wanted && i < columns.size(); i++) {
      if (!columns.get(i).automatic()) {
        wanted = cell(row, columns.get(i).name(), row.values().get(i));
      }
    }
    return wanted;
  }

  private boolean cell(Row row, String name, Value cell) {
    if (!(cell instanceof StructValue nodes)) {
      return point(row, name, "", cell);
    }
    boolean wanted = true;
    for (Map.Entry<String, Value> node : nodes.fields().entrySet()) {
      wanted = wanted && point(row, name, node.getKey(), node.getValue());
    }
    return wanted;
  }

  private boolean point(Row row, String name, String node, Value value) {
    if (points == MAX_POINTS) {
      isComplete = false;
      warning("the answer ends after %,d points: narrow its time range".formatted(MAX_POINTS));
      return false;
    }
    Map<String, Value> point = new LinkedHashMap<>();
    if (row.hlc() != HlcTimestamp.MIN_PACKED) {
      point.put("time", time(row));
      point.put("hlc", Value.of(HlcTimestamp.text(row.hlc())));
    }
    point.put("name", Value.of(name));
    point.put("node", Value.of(node));
    point.put("value", isPlain(value) ? value : Value.of(ValueText.of(value)));
    String start = points++ == 0 ? START : ",";
    return out.write(start + JsonValues.text(new StructValue(point)));
  }

  private Value time(Row row) {
    return timeColumn < 0
        ? Value.of(HlcTimestamp.isoMicros(HlcTimestamp.micros(row.hlc())))
        : row.values().get(timeColumn);
  }

  private static boolean isPlain(Value value) {
    return value instanceof LongValue
        || value instanceof DoubleValue
        || value instanceof BooleanValue
        || value instanceof StringValue
        || value instanceof DurationValue
        || value instanceof TimestampValue
        || value instanceof NullValue;
  }

  @Override
  public void warning(String message) {
    if (warnings.size() < MAX_WARNINGS) {
      warnings.add(message);
    }
  }

  @Override
  public void end() {
    out.write(rest(fields -> {}));
  }

  @Override
  public void problem(String problem, String reason) {
    isComplete = false;
    out.write(rest(fields -> fields.writeName("problem").writeRawValue(problem)));
  }

  /** The members after the points, the last of which are the given ones. */
  private String rest(Consumer<JsonGenerator> last) {
    String members =
        JsonText.object(
            fields -> {
              fields.writeBooleanProperty("complete", isComplete);
              fields.writeArrayPropertyStart("warnings");
              warnings.forEach(message -> fields.writeRawValue(RowJson.warning(message)));
              fields.writeEndArray();
              last.accept(fields);
            });
    return (points == 0 ? START : "") + "]," + members.substring(1) + "\n";
  }
}
