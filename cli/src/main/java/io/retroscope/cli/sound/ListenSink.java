// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.print.ValueText;
import io.retroscope.sonify.rule.Rule;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.Consumer;

/** The printer of live rows as JSON, until it is ended. Thread-safe. */
public final class ListenSink implements RowSink {
  private final PrintWriter out;
  private final PrintWriter err;
  private final Consumer<String> rows;
  private volatile List<Column> columns = List.of();
  private volatile boolean ended;

  /**
   * A printer of rows and warnings.
   *
   * @param rows also receives each row, as JSON; it must not wait
   */
  public ListenSink(PrintWriter out, PrintWriter err, Consumer<String> rows) {
    this.out = out;
    this.err = err;
    this.rows = rows;
  }

  /** Wants no more rows. */
  public void end() {
    ended = true;
  }

  @Override
  public void columns(List<Column> found) {
    columns = found;
  }

  @Override
  public boolean row(Row row) {
    return take(RowJson.text(columns, row));
  }

  @Override
  public boolean late(Row row) {
    return take(RowJson.late(RowJson.text(columns, row)));
  }

  @Override
  public void retracted(long row, long hlc) {
    boolean unused =
        take(
            JsonText.object(
                out -> {
                  out.writeStringProperty("retracted", StreamPlace.rowText(row));
                  out.writeStringProperty("hlc", HlcTimestamp.text(hlc));
                }));
  }

  private boolean take(String json) {
    out.println(json);
    rows.accept(json);
    return !ended;
  }

  @Override
  public void notice(String sentence) {
    err.println(ValueText.printable(sentence));
  }

  /** The rows of an alarm: a line of text for each, and the same object for a program. */
  AlarmSink ofAlarm(Rule rule) {
    return new AlarmSink(rule, this, out, rows);
  }

  @Override
  public void warning(String message) {
    err.println("warning: " + ValueText.printable(message));
  }

  @Override
  public boolean cancelled() {
    return ended;
  }
}
