// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import java.util.ArrayList;
import java.util.List;

/** A sink that keeps everything it receives, up to a number of rows. */
final class CollectingSink implements RowSink {
  final List<Column> columns = new ArrayList<>();
  final List<Row> rows = new ArrayList<>();
  final List<String> warnings = new ArrayList<>();
  final List<Long> progress = new ArrayList<>();
  volatile boolean cancelled;
  private final int limit;

  CollectingSink() {
    this(Integer.MAX_VALUE);
  }

  CollectingSink(int limit) {
    this.limit = limit;
  }

  @Override
  public void columns(List<Column> all) {
    columns.addAll(all);
  }

  @Override
  public boolean row(Row row) {
    rows.add(row);
    return rows.size() < limit;
  }

  @Override
  public void warning(String message) {
    warnings.add(message);
  }

  @Override
  public void progress(long cuts, long hlc) {
    progress.add(cuts);
  }

  @Override
  public boolean cancelled() {
    return cancelled;
  }

  List<String> columnNames() {
    return columns.stream().map(Column::name).toList();
  }
}
