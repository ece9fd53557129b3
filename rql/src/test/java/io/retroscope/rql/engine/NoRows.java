// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import java.util.List;

/** A sink for a query without rows: a row or a warning is an error. */
final class NoRows implements RowSink {
  @Override
  public void columns(List<Column> columns) {}

  @Override
  public boolean row(Row row) {
    throw new AssertionError(row);
  }

  @Override
  public void warning(String message) {
    throw new AssertionError(message);
  }
}
