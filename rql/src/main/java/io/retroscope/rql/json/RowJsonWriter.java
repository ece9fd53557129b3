package io.retroscope.rql.json;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** A writer of result rows as JSON objects: see {@link RowJson}. Used by one thread. */
public final class RowJsonWriter {
  private final List<Column> columns;
  private final int missing;
  private final JsonBuffer buffer = new JsonBuffer();

  /** Creates a writer of rows with these columns. */
  public RowJsonWriter(List<Column> columns) {
    this.columns = List.copyOf(columns);
    this.missing = columns.indexOf(new Column(AutomaticColumns.MISSING, true));
  }

  /** Returns a row as one JSON object without a line end. An empty {@code missing} is omitted. */
  public String text(Row row) {
    return buffer.text(out -> write(out, row));
  }

  private void write(JsonGenerator out, Row row) {
    out.writeStartObject();
    for (int i = 0; i < columns.size(); i++) {
      Value value = row.values().get(i);
      if (i != missing || !isEmpty(value)) {
        JsonValues.write(out.writeName(columns.get(i).name()), value);
      }
    }
    out.writeEndObject();
  }

  private static boolean isEmpty(Value value) {
    return value instanceof NullValue
        || (value instanceof SetValue set && set.elements().isEmpty());
  }
}
