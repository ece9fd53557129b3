// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.print.ValueText;
import io.retroscope.sonify.rule.Rule;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * The rows of an alarm, which rises and is over: a line of text for each, and an object of JSON for
 * a program. Used by one thread.
 */
final class AlarmSink implements RowSink {
  private final Rule rule;
  private final ListenSink rest;
  private final PrintWriter out;
  private final Consumer<String> rows;
  private List<Column> columns = List.of();
  private OptionalLong sinceMicros = OptionalLong.empty();

  AlarmSink(Rule rule, ListenSink rest, PrintWriter out, Consumer<String> rows) {
    this.rule = rule;
    this.rest = rest;
    this.out = out;
    this.rows = rows;
  }

  @Override
  public void columns(List<Column> all) {
    columns = all;
    rest.columns(all);
  }

  @Override
  public boolean row(Row row) {
    return take(row, false);
  }

  @Override
  public boolean late(Row row) {
    return take(row, true);
  }

  private boolean take(Row row, boolean isLate) {
    out.println(line(row) + (isLate ? " (late)" : ""));
    String text =
        JsonText.before(
            RowJson.text(columns, row),
            fields -> fields.writeStringProperty("rule", rule.statement()));
    rows.accept(isLate ? RowJson.late(text) : text);
    return !cancelled();
  }

  private String line(Row row) {
    StringBuilder values = new StringBuilder();
    boolean rises = true;
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      Value value = row.values().get(i);
      if (!column.automatic()) {
        values.append(' ').append(column.name()).append('=').append(ValueText.of(value));
      } else if (column.name().equals("edge")) {
        rises = value instanceof StringValue edge && edge.value().equals("rise");
      }
    }
    long micros = HlcTimestamp.micros(row.hlc());
    String what = rises ? "alarm" : over(micros);
    sinceMicros = rises ? OptionalLong.of(micros) : OptionalLong.empty();
    return "%s %s: %s:%s"
        .formatted(HlcTimestamp.isoMicros(micros), rule.name(), what, values)
        .concat(rises ? " (" + rule.statement().replaceAll("\\s+", " ") + ")" : "");
  }

  private String over(long micros) {
    return sinceMicros.isEmpty()
        ? "over"
        : String.format(Locale.ROOT, "over after %.3f s", (micros - sinceMicros.getAsLong()) / 1e6);
  }

  @Override
  public void retracted(long row, long hlc) {
    rest.retracted(row, hlc);
  }

  @Override
  public void warning(String message) {
    rest.warning(message);
  }

  @Override
  public void notice(String sentence) {
    rest.notice(sentence);
  }

  @Override
  public boolean cancelled() {
    return rest.cancelled();
  }
}
