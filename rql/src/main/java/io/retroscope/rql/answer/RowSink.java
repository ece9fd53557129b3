package io.retroscope.rql.answer;

import java.util.List;

/** A receiver of a result while it is computed. Called by one thread at a time. */
public interface RowSink {
  /** Takes the columns. Called once, before the first row, even if there are no rows. */
  void columns(List<Column> columns);

  /**
   * Takes the next row.
   *
   * @return whether more rows are wanted; false ends the query
   */
  boolean row(Row row);

  /**
   * Takes the next row as cells, which are valid during the call. Called in place of {@link #row}
   * for some rows, in any order among the others.
   *
   * @return whether more rows are wanted; false ends the query
   */
  default boolean cells(RowCells cells) {
    return row(cells.row());
  }

  /**
   * Takes the place after which a STREAM can be resumed. Called before each row of a STREAM and
   * when its progress is reported.
   */
  default void place(StreamPlace place) {}

  /** Takes a warning that affects the meaning of the rows, such as a gap or skipped cuts. */
  void warning(String message);

  /**
   * Reports the progress of a long walk from time to time.
   *
   * @param cuts walked so far
   * @param hlc packed stamp reached; all later cuts are above it
   */
  default void progress(long cuts, long hlc) {}

  /** The connection of a STREAM failed; it is opened again, and {@link #connected} follows. */
  default void disconnected() {}

  /** The connection of a STREAM is open: rows that follow may be history. */
  default void connected() {}

  /**
   * Returns whether the receiver no longer wants the result. Called often, so that a query without
   * rows ends too.
   */
  default boolean cancelled() {
    return false;
  }
}
