// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.io.PrintWriter;
import java.util.List;

/** A printer of records, with one line per value, for rows that are too wide for a table. */
final class VerticalPrinter implements ResultPrinter {
  private final PrintWriter out;
  private final int maxRuleWidth;
  private List<String> names = List.of();
  private int nameWidth;
  private long rowCount;
  private long retractedCount;

  /** Creates a printer whose rules between records are no longer than this. */
  VerticalPrinter(PrintWriter out, int maxRuleWidth) {
    this.out = out;
    this.maxRuleWidth = maxRuleWidth;
  }

  @Override
  public void columns(List<Column> columns) {
    names = columns.stream().map(c -> ValueText.printable(c.name())).toList();
    nameWidth = names.stream().mapToInt(ValueText::width).max().orElse(0);
  }

  @Override
  public void row(Row row) {
    print(cells(row), "");
  }

  @Override
  public void late(Row row) {
    print(cells(row), ", late");
  }

  private static List<String> cells(Row row) {
    return row.values().stream().map(ValueText::of).toList();
  }

  @Override
  public void retracted(long hlc) {
    retractedCount++;
    out.print(TableText.retraction(hlc) + "\n");
  }

  /**
   * Prints a record.
   *
   * @param mark follows the number of the row
   */
  void print(List<String> cells, String mark) {
    rowCount++;
    int cellWidth = cells.stream().mapToInt(ValueText::width).max().orElse(0);
    String title = "-[ row " + rowCount + mark + " ]";
    String rule = "-".repeat(nameWidth + 1) + "+" + "-".repeat(cellWidth + 1);
    String heading = title + rule.substring(Math.min(title.length(), rule.length()));
    out.print(heading.substring(0, Math.min(heading.length(), maxRuleWidth)) + "\n");
    for (int i = 0; i < names.size(); i++) {
      String line = ValueText.pad(names.get(i), nameWidth, false) + " | " + cells.get(i);
      out.print(line.stripTrailing() + "\n");
    }
  }

  @Override
  public void end() {
    out.print("(" + TableText.rowCount(rowCount, retractedCount) + ")\n");
  }
}
