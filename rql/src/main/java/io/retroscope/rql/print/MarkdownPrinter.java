// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.io.PrintWriter;
import java.util.List;
import java.util.regex.Pattern;

/** A printer of Markdown tables; the first row decides which columns are right-aligned. */
final class MarkdownPrinter implements ResultPrinter {
  /** Characters that would end a cell or be interpreted as markup. */
  private static final Pattern SPECIAL = Pattern.compile("[\\\\|<`*\\[]");

  private final PrintWriter out;
  private List<Column> columns = List.of();
  private boolean begun;

  MarkdownPrinter(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void columns(List<Column> all) {
    columns = all;
  }

  @Override
  public void row(Row row) {
    begin(row.values());
    line(row.values().stream().map(ValueText::of).toList());
  }

  private void begin(List<Value> firstRow) {
    if (begun) {
      return;
    }
    begun = true;
    line(columns.stream().map(c -> ValueText.printable(c.name())).toList());
    StringBuilder rule = new StringBuilder("|");
    for (int i = 0; i < columns.size(); i++) {
      boolean number = i < firstRow.size() && ValueText.isNumber(firstRow.get(i));
      rule.append(number ? " ---: |" : " --- |");
    }
    out.print(rule + "\n");
  }

  private void line(List<String> cells) {
    StringBuilder line = new StringBuilder("|");
    for (String cell : cells) {
      line.append(' ').append(SPECIAL.matcher(cell).replaceAll("\\\\$0")).append(" |");
    }
    out.print(line + "\n");
  }

  @Override
  public void end() {
    begin(List.of());
  }
}
