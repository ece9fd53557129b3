package io.retroscope.rql.json;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import java.util.List;

/** A writer of result rows as JSON objects: see {@link RowJson}. Used by one thread. */
public final class RowJsonWriter {
  /** The JSON of each column's name, with its colon. */
  private final String[] names;

  private final int missing;
  private final TextBuffer text = new TextBuffer();
  private final CellJson json = new CellJson(false, text);
  private final RowCells loaded = new RowCells();

  /** Creates a writer of rows with these columns. */
  public RowJsonWriter(List<Column> columns) {
    this.missing = columns.indexOf(new Column(AutomaticColumns.MISSING, true));
    this.names = new String[columns.size()];
    for (int i = 0; i < names.length; i++) {
      text.clear();
      text.appendJson(columns.get(i).name());
      text.append(':');
      names[i] = text.toString();
    }
  }

  /** Returns a row as one JSON object without a line end. An empty {@code missing} is omitted. */
  public String text(Row row) {
    return object(row).toString();
  }

  /** Returns the same as {@link #text}, in a buffer that the next call uses again. */
  public TextBuffer object(RowCells row) {
    text.clear();
    write(row, text);
    return text;
  }

  /** Returns the same as {@link #text}, in a buffer that the next call uses again. */
  public TextBuffer object(Row row) {
    loaded.load(row);
    return object(loaded);
  }

  private void write(RowCells row, TextBuffer out) {
    char separator = '{';
    for (int i = 0; i < names.length; i++) {
      if (i != missing || !isEmpty(row, i)) {
        out.append(separator);
        out.append(names[i]);
        json.write(row, i);
        separator = ',';
      }
    }
    if (separator == '{') {
      out.append('{');
    }
    out.append('}');
  }

  private static boolean isEmpty(RowCells row, int cell) {
    if (row.kind(cell) != RowCells.Kind.VALUE) {
      return false;
    }
    Value value = row.value(cell);
    return value instanceof NullValue
        || (value instanceof SetValue set && set.elements().isEmpty());
  }
}
