// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import java.util.ArrayList;
import java.util.List;

/** A receiver that keeps the values of all columns. */
final class AllValues implements RowSink {
  private final List<List<Value>> rows = new ArrayList<>();

  List<List<Value>> rows() {
    return rows;
  }

  @Override
  public void columns(List<Column> columns) {}

  @Override
  public boolean row(Row row) {
    return rows.add(row.values());
  }

  @Override
  public void warning(String message) {}
}
