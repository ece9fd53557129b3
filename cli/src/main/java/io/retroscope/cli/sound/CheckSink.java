package io.retroscope.cli.sound;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import java.util.List;

/** A sink of EXPLAIN, which only checks a statement. */
final class CheckSink implements RowSink {
  @Override
  public void columns(List<Column> columns) {}

  @Override
  public boolean row(Row row) {
    return true;
  }

  @Override
  public void warning(String message) {}
}
