// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.engine.completeness.LostTime;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * The runs of cuts at which one question's WHEN holds. Reports them to an emission. Used by one
 * thread.
 */
final class CutRun {
  private final Emission emission;
  private final long forMicros;
  private boolean holds;
  private boolean qualified;
  private long startHlc;
  private @Nullable CutTime startTime;
  private long lastHlc;
  private final ShortRuns shortRuns = new ShortRuns();

  /**
   * Creates the runs of a question.
   *
   * @param forMicros how long a run must last to count, 0 for any
   */
  CutRun(Emission emission, long forMicros) {
    this.emission = emission;
    this.forMicros = forMicros;
  }

  boolean holds() {
    return holds;
  }

  /** The start of the present run or, between runs, of the last one. */
  long startHlc() {
    return startHlc;
  }

  /** Returns whether WHEN was evaluated at this cut and holds. A skipped cut says nothing. */
  boolean heldAt(long hlc) {
    return holds && lastHlc == hlc;
  }

  /** The packed stamp at which the present run will have lasted long enough. */
  long deadline() {
    return deadline(startHlc, forMicros);
  }

  /** The packed stamp at which a run that began at a stamp will have lasted long enough. */
  static long deadline(long startHlc, long forMicros) {
    long micros = HlcTimestamp.micros(startHlc);
    return HlcTimestamp.pack(Math.min(HlcTimestamp.MAX_MICROS, micros + forMicros));
  }

  /** Whether the present run is still too short to count. */
  boolean isYoung() {
    return holds && !qualified;
  }

  boolean wantsRow(boolean atStart) {
    return emission.wantsRow(!holds, atStart);
  }

  boolean wantsEnd() {
    return qualified && emission.wantsEnd();
  }

  /** Records a cut at which WHEN holds. */
  void holdsAt(long hlc, @Nullable CutRow row, SortedSet<String> missing, boolean atStart) {
    lastHlc = hlc;
    if (holds) {
      emission.proceed(row, missing);
      return;
    }
    holds = true;
    qualified = false;
    startHlc = hlc;
    startTime = row == null ? null : row.time();
    emission.begin(hlc, row, atStart);
    if (forMicros == 0) {
      qualified = true;
      emission.qualify();
    }
  }

  /** Whether a next cut at which WHEN holds may be recorded as cells. */
  boolean takesCells() {
    return holds && emission.takesCells();
  }

  /** Records another cut at which WHEN holds, of which the run {@link #takesCells}. */
  void holdsAt(RowCells cells) {
    lastHlc = cells.hlc();
    emission.proceed(cells);
  }

  /** Whether the run holds and needs only the number of the cuts until its end. */
  boolean needsOnlyItsEnd() {
    return holds && !emission.wantsRow(false, false);
  }

  /** Records cuts at which WHEN still holds, up to a stamp. */
  void holdsThrough(long hlc, long cuts, SortedSet<String> missing) {
    lastHlc = hlc;
    emission.proceed(cuts, missing);
  }

  /** Records a cut at which WHEN does not hold. */
  void endsAt(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow row) {
    if (!holds) {
      return;
    }
    holds = false;
    if (qualified) {
      emission.end(hlc, time, missing, row);
    } else {
      shortRuns.add(forMicros, startHlc, startTime, hlc, time);
      emission.discard();
    }
  }

  /**
   * Records that all events below the stamp are known: a run that still holds has lasted until
   * there.
   */
  void reached(long hlc) {
    if (holds && !qualified && hlc >= deadline()) {
      qualified = true;
      emission.qualify();
    }
  }

  /** The runs that ended before they had lasted long enough. */
  ShortRuns shortRuns() {
    return shortRuns;
  }

  /**
   * Records the end of the range.
   *
   * @param lost the time that stamps lost in the range
   */
  void endOfRange(long hlc, LostTime lost) {
    if (holds && qualified) {
      emission.endOfRange(hlc);
    } else if (holds) {
      shortRuns.addOpen(forMicros, startHlc, startTime, hlc, lost.micros(startHlc, hlc));
    }
  }
}
