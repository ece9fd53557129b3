// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.RowJson;
import io.retroscope.rql.json.RowJsonWriter;
import java.io.PrintWriter;
import java.util.List;

/**
 * A printer of rows and warnings as JSON objects, one per line, within one array or without. A
 * warning is {@code {"warning":"..."}}.
 */
final class JsonPrinter implements ResultPrinter {
  private final PrintWriter out;
  private final boolean array;
  private RowJsonWriter rows = new RowJsonWriter(List.of());
  private boolean first = true;

  private JsonPrinter(PrintWriter out, boolean array) {
    this.out = out;
    this.array = array;
  }

  static JsonPrinter array(PrintWriter out) {
    return new JsonPrinter(out, true);
  }

  static JsonPrinter lines(PrintWriter out) {
    return new JsonPrinter(out, false);
  }

  @Override
  public void columns(List<Column> all) {
    rows = new RowJsonWriter(all);
    out.print(array ? "[" : "");
  }

  @Override
  public void row(Row row) {
    element(rows.text(row));
  }

  @Override
  public void cells(RowCells cells) {
    element(rows.text(cells));
  }

  @Override
  public void late(Row row) {
    element(RowJson.late(rows.text(row)));
  }

  @Override
  public void retracted(long hlc) {
    element(JsonText.object(out -> out.writeStringProperty("retracted", HlcTimestamp.text(hlc))));
  }

  @Override
  public void warning(String message) {
    element(RowJson.warning(message));
  }

  private void element(String json) {
    if (array) {
      out.print(first ? "\n" : ",\n");
    }
    first = false;
    out.print(json + (array ? "" : "\n"));
  }

  @Override
  public void end() {
    if (array) {
      out.print(first ? "]\n" : "\n]\n");
    }
  }
}
