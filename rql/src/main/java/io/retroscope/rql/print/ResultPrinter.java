// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowCells;
import java.util.List;

/**
 * A printer of one result in one format. Used by one thread. Its memory does not grow with the
 * number of rows.
 */
public interface ResultPrinter {
  /** Takes the columns. Called once, before the first row. */
  void columns(List<Column> columns);

  /** Prints a row, now or in a later call. */
  void row(Row row);

  /** Prints a row, whose cells are valid during the call. */
  default void cells(RowCells cells) {
    row(cells.row());
  }

  /** Prints a row of a STREAM that comes late, with a mark unless the format is a chart. */
  default void late(Row row) {
    row(row);
  }

  /**
   * Takes back a row of a STREAM, as {@link #late} marks one.
   *
   * @param hlc packed, the stamp of the row
   */
  default void retracted(long hlc) {}

  /**
   * Takes a warning that affects the meaning of the rows. Called after {@link #columns}. Only JSON
   * has a place for it; in other formats the caller shows it to the user.
   */
  default void warning(String message) {}

  /** Prints the buffered rows, and the number of rows if the format shows it. */
  void end();
}
