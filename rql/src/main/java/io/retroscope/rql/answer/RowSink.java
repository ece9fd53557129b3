package io.retroscope.rql.answer;

import java.util.List;

/** Receives a result as it is found. Called by one thread at a time. */
public interface RowSink {
  /** Comes once, before the first row, also when there will be no rows. */
  void columns(List<Column> columns);

  /**
   * Takes the next row.
   *
   * @return whether more rows are wanted; false ends the query
   */
  boolean row(Row row);

  /**
   * Comes before each row of a STREAM, and when its progress is reported.
   *
   * @param place where the stream can be taken up again after that
   */
  default void place(StreamPlace place) {}

  /** Something that a reader of the rows must know: a gap was crossed, cuts were skipped. */
  void warning(String message);

  /**
   * Comes every so often on a long walk.
   *
   * @param cuts walked so far
   * @param hlc packed stamp reached: no cut at or below it is still to come
   */
  default void progress(long cuts, long hlc) {}

  /** Whether the receiver has given up; asked often, so that a query without rows ends too. */
  default boolean cancelled() {
    return false;
  }
}
