// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.answer;

import io.retroscope.clock.HlcTimestamp;
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
   * Takes the place after which a STREAM can be resumed. Called before each row of a STREAM, before
   * a row is taken back, and when its progress is reported.
   */
  default void place(StreamPlace place) {}

  /**
   * Takes the stamp at which the next row of a STREAM was found, by which rows are ordered. Called
   * before each row, also before a late one, whose {@link #place} is after all rows so far.
   *
   * @param hlc packed, at least the row's own stamp
   */
  default void found(long hlc) {}

  /**
   * Takes a row of a STREAM that belongs before rows that were sent: it was not sent with them
   * because an event came late.
   *
   * @return whether more rows are wanted
   */
  default boolean late(Row row) {
    return row(row);
  }

  /**
   * Takes back a row of a STREAM that was sent: an event came late, after which the row is none any
   * more.
   *
   * @param row as in the {@link StreamPlace} of the row
   * @param hlc packed, the stamp of the row
   */
  default void retracted(long row, long hlc) {
    warning(
        "the row at %s does not hold: an earlier event came late"
            .formatted(HlcTimestamp.text(hlc)));
  }

  /**
   * Takes the range of stamps in which rows of a STREAM may be missing, or may not hold, because
   * events came too late.
   *
   * @param from packed
   * @param until packed, inclusive
   */
  default void lost(long from, long until, String message) {
    warning(message);
  }

  /** Takes a warning that affects the meaning of the rows, such as a gap or skipped cuts. */
  void warning(String message);

  /** Returns whether it uses warnings; if not, most of them are not looked for. */
  default boolean takesWarnings() {
    return true;
  }

  /**
   * Takes a sentence about the state of a STREAM: since when its rows are not up to date, that they
   * are again, or which of its names is unknown so far.
   */
  default void notice(String sentence) {
    warning(sentence);
  }

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
