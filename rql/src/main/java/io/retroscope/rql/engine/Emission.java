package io.retroscope.rql.engine;

import io.retroscope.rql.cut.CutTime;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows of one question's runs: a run is a maximal sequence of cuts for which WHEN holds. What
 * comes before {@link #qualify} is held back, because the run may prove too short.
 */
interface Emission {
  /** Whether the row of a cut at which WHEN holds is needed. */
  boolean wantsRow(boolean first, boolean atStart);

  /** A run begins. */
  void begin(@Nullable CutRow cut, boolean atStart);

  /**
   * WHEN holds at another cut of the run.
   *
   * @param cut null unless {@link #wantsRow} asked for it
   */
  void goOn(@Nullable CutRow cut, SortedSet<String> missing);

  /** The run has lasted long enough. */
  void qualify();

  /** The run ends without having lasted long enough. */
  void discard();

  /** Whether the row of the cut at which a run ends is needed. */
  boolean wantsEnd();

  /**
   * A qualified run ends.
   *
   * @param cut null unless {@link #wantsEnd} asked for it
   */
  void end(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow cut);

  /** The range ends, and a qualified run still holds. */
  void endOfRange(long hlc);
}
