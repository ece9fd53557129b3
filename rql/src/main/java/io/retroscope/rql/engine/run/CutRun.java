// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

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
public final class CutRun {
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
  public CutRun(Emission emission, long forMicros) {
    this.emission = emission;
    this.forMicros = forMicros;
  }

  /** Whether WHEN held at the last cut that was recorded. */
  public boolean holds() {
    return holds;
  }

  /** The start of the present run or, between runs, of the last one. */
  public long startHlc() {
    return startHlc;
  }

  /** Returns whether WHEN was evaluated at this cut and holds. A skipped cut says nothing. */
  public boolean heldAt(long hlc) {
    return holds && lastHlc == hlc;
  }

  /** The packed stamp at which the present run will have lasted long enough. */
  public long deadline() {
    return deadline(startHlc, forMicros);
  }

  /** The packed stamp at which a run that began at a stamp will have lasted long enough. */
  public static long deadline(long startHlc, long forMicros) {
    long micros = HlcTimestamp.micros(startHlc);
    return HlcTimestamp.pack(Math.min(HlcTimestamp.MAX_MICROS, micros + forMicros));
  }

  /** Whether the present run is still too short to count. */
  public boolean isYoung() {
    return holds && !qualified;
  }

  /**
   * Whether the row of a next cut at which WHEN holds is needed.
   *
   * @param atStart whether the cut only starts the range
   */
  public boolean wantsRow(boolean atStart) {
    return emission.wantsRow(!holds, atStart);
  }

  /** Whether the row of a next cut that ends the run is needed. */
  public boolean wantsEnd() {
    return qualified && emission.wantsEnd();
  }

  /**
   * Records a cut at which WHEN holds.
   *
   * @param row null unless {@link #wantsRow} returned true for it
   * @param missing the nodes that are left out of the cut
   * @param atStart whether the cut only starts the range
   */
  public void holdsAt(long hlc, @Nullable CutRow row, SortedSet<String> missing, boolean atStart) {
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
  public boolean takesCells() {
    return holds && emission.takesCells();
  }

  /** Records another cut at which WHEN holds, of which the run {@link #takesCells}. */
  public void holdsAt(RowCells cells) {
    lastHlc = cells.hlc();
    emission.proceed(cells);
  }

  /** Whether the run holds and needs only the number of the cuts until its end. */
  public boolean needsOnlyItsEnd() {
    return holds && !emission.wantsRow(false, false);
  }

  /** Records cuts at which WHEN still holds, up to a stamp. */
  public void holdsThrough(long hlc, long cuts, SortedSet<String> missing) {
    lastHlc = hlc;
    emission.proceed(cuts, missing);
  }

  /**
   * Records a cut at which WHEN does not hold.
   *
   * @param row null unless {@link #wantsEnd} returned true
   */
  public void endsAt(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow row) {
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
  public void reached(long hlc) {
    if (holds && !qualified && hlc >= deadline()) {
      qualified = true;
      emission.qualify();
    }
  }

  /** The runs that ended before they had lasted long enough. */
  public ShortRuns shortRuns() {
    return shortRuns;
  }

  /**
   * Records the end of the range.
   *
   * @param lost the time that stamps lost in the range
   */
  public void endOfRange(long hlc, LostTime lost) {
    if (holds && qualified) {
      emission.endOfRange(hlc);
    } else if (holds) {
      shortRuns.addOpen(forMicros, startHlc, startTime, hlc, lost.micros(startHlc, hlc));
    }
  }
}
