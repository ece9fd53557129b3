// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A printer of a STREAM whose rows have one more column, {@code mark}: {@code late}, {@code
 * retracted} or NULL. A row that is taken back is a row with only its stamp and the mark. Used by
 * one thread.
 */
final class MarkColumn implements ResultPrinter {
  private static final Column MARK = new Column("mark", true);
  private static final Column STAMP = new Column("hlc", true);

  private final ResultPrinter table;
  private List<Column> columns = List.of();

  MarkColumn(ResultPrinter table) {
    this.table = table;
  }

  @Override
  public void columns(List<Column> all) {
    columns = List.copyOf(all);
    List<Column> marked = new ArrayList<>(all);
    marked.add(MARK);
    table.columns(marked);
  }

  @Override
  public void row(Row row) {
    print(row, NullValue.NULL);
  }

  @Override
  public void late(Row row) {
    print(row, Value.of("late"));
  }

  private void print(Row row, Value mark) {
    List<Value> values = new ArrayList<>(row.values());
    values.add(mark);
    table.row(new Row(row.hlc(), row.ordinal(), values, row.note()));
  }

  @Override
  public void retracted(long hlc) {
    List<Value> values = new ArrayList<>();
    for (Column column : columns) {
      values.add(column.equals(STAMP) ? new TimestampValue(hlc) : NullValue.NULL);
    }
    print(new Row(hlc, 0, values, Optional.empty()), Value.of("retracted"));
  }

  @Override
  public void warning(String message) {
    table.warning(message);
  }

  @Override
  public void end() {
    table.end();
  }
}
