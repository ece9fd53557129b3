// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.List;

/** A receiver of a live result and of its end. Called by the thread of its query. */
public interface LiveSink extends RowSink {
  /**
   * The time for which rows are held because of fast clocks; see {@link
   * WatermarkTracker#heldMicros}.
   */
  void held(long micros);

  /**
   * Takes the stamp up to which all rows were given, as soon as the watermark has reached it, and
   * repeatedly while it stays there: much more often than {@link #progress}.
   *
   * @param hlc packed
   */
  default void reached(long hlc) {}

  /**
   * Takes a sentence about rows that are not up to date, or are again.
   *
   * @param reasons the reasons for doubt; none if the rows are up to date
   */
  default void notice(String sentence, List<Incompleteness> reasons) {
    notice(sentence);
  }

  /**
   * Sets whether its calls may wait for a slow client: not on a thread of several queries. Called
   * before any other.
   */
  default void setPatient(boolean isPatient) {}

  /** The query is complete because its LIMIT was reached. */
  void end();

  /** A cut could not be evaluated; no more calls follow. */
  void failed(RqlException reason);

  /** The server failed; no more calls follow. */
  void broken(String reason);

  /**
   * The server shuts down. Once it is back, the query may be sent again, resuming at its last
   * stamp.
   */
  void goingDown();
}
