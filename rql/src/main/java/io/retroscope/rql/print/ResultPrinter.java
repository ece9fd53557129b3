package io.retroscope.rql.print;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.util.List;

/**
 * Prints one result in one format. Used by one thread; what it keeps in memory does not grow with
 * the number of rows.
 */
public interface ResultPrinter {
  /** Comes once, before the first row. */
  void columns(List<Column> columns);

  /** Prints a row, now or with a later call. */
  void row(Row row);

  /** Prints what was held back, and the number of rows where the format shows one. */
  void end();
}
