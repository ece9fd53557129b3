// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

import io.retroscope.rql.answer.StreamPlace;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The position that a walk's emission has reached, and the stamp from which it can be repeated.
 * Used by one thread.
 *
 * <p>A walk that repeats the emission must begin at the start of the oldest run that was open when
 * the emission reached its stamp. Younger runs that had already ended yield only rows that were
 * sent before. It must not begin between two cuts, where a condition may hold that held at neither:
 * {@code Prev(r)} is there what {@code r} is.
 */
public final class Emitted {
  private final Optional<StreamPlace> resumed;
  private final long start;
  private final boolean isFromStart;
  private final TreeMap<Long, Integer> openRuns = new TreeMap<>();
  private long oldestRun;
  private long lastCut;
  private long hlc;
  private int count;

  /**
   * Creates the position of a walk that has emitted nothing.
   *
   * @param resumed the place up to which an earlier walk has sent rows
   * @param isFromStart whether rows depend on all cuts since the start, not only on open runs
   */
  public Emitted(long start, boolean isFromStart, Optional<StreamPlace> resumed) {
    this.start = start;
    this.isFromStart = isFromStart;
    this.resumed = resumed;
    this.hlc = start;
    this.oldestRun = start;
    this.lastCut = start;
  }

  /** Advances to a stamp; lower stamps are ignored. */
  public void reached(long stamp) {
    if (stamp > hlc) {
      hlc = stamp;
      count = 0;
      oldestRun = openRuns.isEmpty() ? lastCut : Math.min(lastCut, openRuns.firstKey());
    }
  }

  /** Notes a cut that is evaluated next, or for which a rule has decided. */
  public void cut(long stamp) {
    lastCut = stamp;
  }

  /** Notes that a run began at a stamp. */
  public void runBegan(long stamp) {
    openRuns.merge(stamp, 1, Integer::sum);
  }

  /** Notes that a run ended, and where it began. */
  public void runEnded(long beganAt) {
    openRuns.computeIfPresent(beganAt, (stamp, runs) -> runs == 1 ? null : runs - 1);
  }

  /** Counts a row; returns whether to send it because no earlier walk has. */
  public boolean add() {
    count++;
    return resumed.isEmpty() || !resumed.get().isPast(hlc, count);
  }

  /** The place at which to continue after the rows so far. */
  public StreamPlace place() {
    StreamPlace here = new StreamPlace(isFromStart ? start : oldestRun, hlc, count);
    return resumed.filter(earlier -> earlier.isPast(hlc, count)).orElse(here);
  }
}
