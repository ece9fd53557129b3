// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.json.CellJson;
import io.retroscope.rql.json.JsonBuffer;
import io.retroscope.rql.json.TimeText;
import java.io.PrintWriter;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A printer of comma- or tab-separated values for programs. A cell contains the same text as JSON,
 * without the quotes of a string or timestamp; NULL is an empty cell.
 */
final class DelimitedPrinter implements ResultPrinter {
  private final PrintWriter out;
  private final String delimiter;
  private final String lineEnd;
  private final UnaryOperator<String> guard;
  private final UnaryOperator<String> escape;
  private final NodeLongs nodeLongs;
  private final JsonBuffer json = new JsonBuffer();
  private final CellJson cellJson = new CellJson(false);
  private final RowCells loaded = new RowCells();
  private final TimeText times = new TimeText();
  private final StringBuilder line = new StringBuilder();
  private char[] characters = new char[256];

  private DelimitedPrinter(
      PrintWriter out,
      String delimiter,
      String lineEnd,
      UnaryOperator<String> guard,
      UnaryOperator<String> escape,
      NodeLongs nodeLongs) {
    this.out = out;
    this.delimiter = delimiter;
    this.lineEnd = lineEnd;
    this.guard = guard;
    this.escape = escape;
    this.nodeLongs = nodeLongs;
  }

  /**
   * Creates a printer as in RFC 4180. An empty string is {@code ""}, which distinguishes it from
   * NULL, and a text that a spreadsheet would treat as a formula has an apostrophe in front.
   */
  static DelimitedPrinter csv(PrintWriter out) {
    NodeLongs nodes = new NodeLongs("\"", CsvText::doubled);
    return new DelimitedPrinter(out, ",", CsvText.LINE_END, CsvText::plain, CsvText::quoted, nodes);
  }

  /**
   * Creates a printer with tabs between cells. A tab, line end or backslash within a cell is {@code
   * \t \n \r \\}.
   */
  static DelimitedPrinter tsv(PrintWriter out) {
    NodeLongs nodes = new NodeLongs("", DelimitedPrinter::escape);
    return new DelimitedPrinter(out, "\t", "\n", text -> text, DelimitedPrinter::escape, nodes);
  }

  private static String escape(String text) {
    return text.replace("\\", "\\\\")
        .replace("\t", "\\t")
        .replace("\n", "\\n")
        .replace("\r", "\\r");
  }

  @Override
  public void columns(List<Column> columns) {
    for (int i = 0; i < columns.size(); i++) {
      line.append(i == 0 ? "" : delimiter).append(text(columns.get(i).name()));
    }
    endLine();
  }

  @Override
  public void row(Row row) {
    loaded.load(row);
    cells(loaded);
  }

  @Override
  public void cells(RowCells cells) {
    for (int cell = 0; cell < cells.size(); cell++) {
      line.append(cell == 0 ? "" : delimiter);
      append(cells, cell);
    }
    endLine();
  }

  private void append(RowCells cells, int cell) {
    switch (cells.kind(cell)) {
      case LONG -> line.append(cells.number(cell));
      case STAMP -> appendStamp(cells.number(cell));
      case TIME -> appendTime(cells.number(cell));
      case NODES -> appendNodes(cells, cell);
      case VALUE -> line.append(text(cells, cell));
    }
  }

  private String text(RowCells cells, int cell) {
    Value value = cells.value(cell);
    if (value instanceof NullValue) {
      return "";
    }
    if (value instanceof LongValue number) {
      return Long.toString(number.value());
    }
    if (value instanceof StringValue string) {
      return text(string.value());
    }
    if (value instanceof TimestampValue timestamp) {
      return HlcTimestamp.text(timestamp.packed());
    }
    return json(cells, cell);
  }

  private String json(RowCells cells, int cell) {
    return escape.apply(json.text(out -> cellJson.write(out, cells, cell)));
  }

  private String text(String text) {
    return escape.apply(guard.apply(text));
  }

  private void appendNodes(RowCells cells, int cell) {
    if (nodeLongs.isAll(cells, cell)) {
      nodeLongs.append(line, cells, cell);
    } else {
      line.append(json(cells, cell));
    }
  }

  private void appendStamp(long packed) {
    line.append(HlcTimestamp.micros(packed)).append('.').append(HlcTimestamp.logical(packed));
  }

  private void appendTime(long micros) {
    char[] time = times.of(micros);
    if (Character.isDigit(time[0])) {
      line.append(time);
    } else { // The sign of a year that has more than four digits or is before 0.
      line.append(text(String.valueOf(time)));
    }
  }

  private void endLine() {
    line.append(lineEnd);
    int length = line.length();
    if (length > characters.length) {
      characters = new char[2 * length];
    }
    line.getChars(0, length, characters, 0);
    out.write(characters, 0, length);
    line.setLength(0);
  }

  @Override
  public void end() {}
}
