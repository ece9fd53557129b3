// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.analysis.AutomaticColumns;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.SerializedString;

/** A writer of result rows as JSON objects: see {@link RowJson}. Used by one thread. */
public final class RowJsonWriter {
  private final SerializableString[] names;
  private final int missing;
  private final JsonBuffer buffer = new JsonBuffer();
  private final CellJson json = new CellJson(false);
  private final RowCells loaded = new RowCells();

  /** Creates a writer of rows with these columns. */
  public RowJsonWriter(List<Column> columns) {
    this.names =
        columns.stream()
            .map(column -> new SerializedString(column.name()))
            .toArray(SerializableString[]::new);
    this.missing = columns.indexOf(new Column(AutomaticColumns.MISSING, true));
  }

  /** Returns a row as one JSON object without a line end. An empty {@code missing} is omitted. */
  public String text(Row row) {
    loaded.load(row);
    return text(loaded);
  }

  /** Returns the same for a row of cells. */
  public String text(RowCells row) {
    return buffer.text(out -> write(out, row));
  }

  /** Writes a row of cells as a line; returns whether more is wanted. */
  public boolean line(RowCells row, JsonBuffer.Out to) {
    return buffer.line(out -> write(out, row), to);
  }

  private void write(JsonGenerator out, RowCells row) {
    out.writeStartObject();
    for (int i = 0; i < names.length; i++) {
      if (i != missing || !isEmpty(row, i)) {
        out.writeName(names[i]);
        json.write(out, row, i);
      }
    }
    out.writeEndObject();
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
