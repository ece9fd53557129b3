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
import io.retroscope.rql.json.TextBuffer;
import java.io.PrintWriter;
import java.util.List;

/**
 * A printer of comma- or tab-separated values for programs. A cell contains the same text as JSON,
 * without the quotes of a string or timestamp; NULL is an empty cell.
 */
final class DelimitedPrinter implements ResultPrinter {
  private final PrintWriter out;
  private final Form form;
  private final TextBuffer line = new TextBuffer();
  private final CellJson plain = new CellJson(false, line);
  private final TextBuffer jsonText = new TextBuffer();
  private final CellJson json = new CellJson(false, jsonText);
  private final RowCells loaded = new RowCells();

  private DelimitedPrinter(PrintWriter out, Form form) {
    this.out = out;
    this.form = form;
  }

  /**
   * Creates a printer as in RFC 4180. An empty string is {@code ""}, which distinguishes it from
   * NULL, and a text that a spreadsheet would treat as a formula has an apostrophe in front.
   */
  static DelimitedPrinter csv(PrintWriter out) {
    return new DelimitedPrinter(out, new Csv());
  }

  /**
   * Creates a printer with tabs between cells. A tab, line end or backslash within a cell is {@code
   * \t \n \r \\}.
   */
  static DelimitedPrinter tsv(PrintWriter out) {
    return new DelimitedPrinter(out, new Tsv());
  }

  @Override
  public void columns(List<Column> columns) {
    line.clear();
    for (int i = 0; i < columns.size(); i++) {
      if (i > 0) {
        line.append(form.delimiter());
      }
      line.append(form.text(columns.get(i).name()));
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
    line.clear();
    for (int cell = 0; cell < cells.size(); cell++) {
      if (cell > 0) {
        line.append(form.delimiter());
      }
      cell(cells, cell);
    }
    endLine();
  }

  private void cell(RowCells cells, int cell) {
    switch (cells.kind(cell)) {
      case VALUE -> value(cells.value(cell));
      case LONG -> line.append(cells.number(cell));
      case STAMP -> line.appendStamp(cells.number(cell));
      case TIME -> time(cells.number(cell));
      case NODES -> {
        jsonText.clear();
        json.write(cells, cell);
        form.escape(jsonText, line);
      }
    }
  }

  /** A time before 1970 or after the largest stamp may begin with a sign. */
  private void time(long micros) {
    if (micros >= 0 && micros <= HlcTimestamp.MAX_MICROS) {
      plain.time(micros);
    } else {
      line.append(form.text(HlcTimestamp.isoMicros(micros)));
    }
  }

  private void value(Value value) {
    if (value instanceof LongValue number) {
      line.append(number.value());
    } else if (value instanceof StringValue string) {
      line.append(form.text(string.value()));
    } else if (value instanceof TimestampValue timestamp) {
      line.appendStamp(timestamp.packed());
    } else if (!(value instanceof NullValue)) {
      jsonText.clear();
      json.write(value);
      form.escape(jsonText, line);
    }
  }

  private void endLine() {
    line.append(form.lineEnd());
    line.printTo(out);
  }

  @Override
  public void end() {}

  /** How cells become a line. */
  private sealed interface Form {
    char delimiter();

    String lineEnd();

    /** Returns the cell of a text. */
    String text(String text);

    /** Appends the cell of a JSON text, which neither begins nor ends with a space. */
    void escape(TextBuffer json, TextBuffer out);
  }

  private record Csv() implements Form {
    @Override
    public char delimiter() {
      return ',';
    }

    @Override
    public String lineEnd() {
      return CsvText.LINE_END;
    }

    @Override
    public String text(String text) {
      return CsvText.cell(text);
    }

    @Override
    public void escape(TextBuffer json, TextBuffer out) {
      int start = out.length();
      boolean quoted = false;
      out.append('"');
      for (int i = 0; i < json.length(); i++) {
        char c = json.charAt(i);
        quoted |= c == ',' || c == '"'; // JSON has no line ends.
        if (c == '"') {
          out.append('"');
        }
        out.append(c);
      }
      if (quoted) {
        out.append('"');
      } else {
        out.cut(start);
        json.appendTo(out);
      }
    }
  }

  private record Tsv() implements Form {
    @Override
    public char delimiter() {
      return '\t';
    }

    @Override
    public String lineEnd() {
      return "\n";
    }

    @Override
    public String text(String text) {
      return text.replace("\\", "\\\\")
          .replace("\t", "\\t")
          .replace("\n", "\\n")
          .replace("\r", "\\r");
    }

    @Override
    public void escape(TextBuffer json, TextBuffer out) {
      for (int i = 0; i < json.length(); i++) {
        char c = json.charAt(i); // JSON has no tabs and no line ends.
        if (c == '\\') {
          out.append(c);
        }
        out.append(c);
      }
    }
  }
}
