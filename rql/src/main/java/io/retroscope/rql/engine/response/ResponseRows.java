// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.response;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.engine.run.ResultColumns;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/** What a pattern of THEN or AFTER needs of the walk to make its rows. Used by one thread. */
public interface ResponseRows {
  /** The time of a stamp at which no event made a cut. */
  static CutTime noTime(long hlc) {
    return new CutTime(HlcTimestamp.micros(hlc), OptionalLong.empty());
  }

  /** The row of the present cut. */
  CutRow ofCut(long hlc);

  /** The row of a stamp after the last cut; null if it has an error that ON ERROR SKIP skips. */
  @Nullable CutRow afterCut(long hlc);

  /** The time of the present cut. */
  CutTime time(long hlc);

  /** The nodes that are missing at present. */
  SortedSet<String> missing();

  /** Whether events of a node that counts are lost from one stamp to another. */
  boolean isLost(long fromHlc, long toHlc);

  /** Sends a row; later rows may be held back by a limit. */
  void send(Row row);

  /** Counts rows that are held back; a negative number releases them. */
  void held(int rows);

  /** The number of cuts of the query so far. */
  long cuts();

  /** The number of cuts of the query before the present stamp. */
  long cutsBefore();

  /**
   * Records an answer that came in time, for which the uncertainty of the clocks matters.
   *
   * @param withinMicros how long it may take
   */
  void inTime(long withinMicros, long beginHlc, CutTime begin, long endHlc, CutTime end);

  /** Counts a trigger. */
  void triggered();

  /** Counts triggers whose deadline is after the end of the range. */
  void undecided(long triggers);

  /** The layout of rows with the values that THEN or AFTER adds. */
  ResultColumns columns(List<Value> ofResponse);
}
