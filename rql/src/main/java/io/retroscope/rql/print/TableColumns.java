// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A printer of tables without the columns that only records and programs show. Where one of them is
 * TRUE, a line after the table says so. Used by one thread.
 */
final class TableColumns implements ResultPrinter {
  private final ResultPrinter table;
  private final PrintWriter out;
  private List<Column> all = List.of();
  private final Map<String, Long> trueRows = new LinkedHashMap<>();

  /**
   * Creates a printer.
   *
   * @param out where the table is printed
   */
  TableColumns(ResultPrinter table, PrintWriter out) {
    this.table = table;
    this.out = out;
  }

  @Override
  public void columns(List<Column> columns) {
    all = List.copyOf(columns);
    table.columns(without(columns));
  }

  @Override
  public void row(Row row) {
    table.row(counted(row));
  }

  @Override
  public void late(Row row) {
    table.late(counted(row));
  }

  @Override
  public void retracted(long hlc) {
    table.retracted(hlc);
  }

  /** The row as the table has it, after a look at the cells that it leaves out. */
  private Row counted(Row row) {
    for (int i = 0; i < all.size(); i++) {
      if (isLeftOut(i) && row.values().get(i).equals(BooleanValue.TRUE)) {
        trueRows.merge(all.get(i).name(), 1L, Long::sum);
      }
    }
    List<Value> values = without(row.values());
    return new Row(row.hlc(), row.ordinal(), values, row.note());
  }

  private boolean isLeftOut(int index) {
    Column column = all.get(index);
    return column.automatic()
        && (column.name().equals(AutomaticColumns.DURATION_UNCERTAINTY)
            || AutomaticColumns.isOfResponse(column.name()));
  }

  private <T> List<T> without(List<T> cells) {
    List<T> rest = new ArrayList<>(cells.size());
    for (int i = 0; i < cells.size(); i++) {
      if (!isLeftOut(i)) {
        rest.add(cells.get(i));
      }
    }
    return rest;
  }

  @Override
  public void warning(String message) {
    table.warning(message);
  }

  @Override
  public void end() {
    table.end();
    if (!trueRows.isEmpty()) {
      String counts =
          trueRows.entrySet().stream()
              .map(entry -> entry.getKey() + " is TRUE in " + rows(entry.getValue()))
              .collect(Collectors.joining(", "));
      out.println("(" + counts + ": \\x shows it)");
    }
  }

  private static String rows(long count) {
    return count == 1 ? "1 row" : count + " rows";
  }
}
