// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.cut.state.CutTime;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * A maker of rows from the runs of one question. A run is a maximal sequence of cuts for which WHEN
 * holds. Rows before {@link #qualify} are held back, because the run may turn out too short.
 */
public interface Emission {
  /** Returns whether the row of a cut at which WHEN holds is needed. */
  boolean wantsRow(boolean first, boolean atStart);

  /** Begins a run at a cut. */
  void begin(long hlc, @Nullable CutRow cut, boolean atStart);

  /**
   * Continues the run with another cut at which WHEN holds.
   *
   * @param cut null unless {@link #wantsRow} returned true for it
   */
  void proceed(@Nullable CutRow cut, SortedSet<String> missing);

  /** Returns whether the next cut of the run may be taken as cells, because its row is sent now. */
  default boolean takesCells() {
    return false;
  }

  /** Continues the run with another cut at which WHEN holds, of which it {@link #takesCells}. */
  default void proceed(RowCells cells) {
    throw new AssertionError("the cells of a cut are not wanted");
  }

  /** Continues the run with cuts of which no row is wanted. */
  void proceed(long cuts, SortedSet<String> missing);

  /** Reports that the run has lasted long enough. */
  void qualify();

  /** Ends a run that has not lasted long enough. */
  void discard();

  /** Returns whether the row of the cut at which a run ends is needed. */
  boolean wantsEnd();

  /**
   * Ends a qualified run.
   *
   * @param cut null unless {@link #wantsEnd} returned true for it
   */
  void end(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow cut);

  /** Reports the end of the range, at which a qualified run still holds. */
  void endOfRange(long hlc);
}
