package io.retroscope.rql.engine;

import io.retroscope.rql.answer.StreamPlace;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How far a walk's emission has come, and whence it could be walked again. Used by one thread.
 *
 * <p>A walk that is to find the same rows again must begin where the oldest run began that was open
 * when the rows' stamp was reached. What it finds of younger runs that had ended before, it has
 * found before.
 */
final class Emitted {
  private final Optional<StreamPlace> resumed;
  private final long start;
  private final boolean isFromStart;
  private final TreeMap<Long, Integer> openRuns = new TreeMap<>();
  private long oldestRun;
  private long hlc;
  private int count;

  /**
   * Nothing is emitted.
   *
   * @param resumed up to where rows have been sent by an earlier walk
   * @param isFromStart whether rows depend on all cuts since the start, not only on open runs
   */
  Emitted(long start, boolean isFromStart, Optional<StreamPlace> resumed) {
    this.start = start;
    this.isFromStart = isFromStart;
    this.resumed = resumed;
    this.hlc = start;
    this.oldestRun = start;
  }

  /** The walk has come to a stamp; lower ones are ignored. */
  void reached(long stamp) {
    if (stamp > hlc) {
      hlc = stamp;
      count = 0;
      oldestRun = openRuns.isEmpty() ? stamp : Math.min(stamp, openRuns.firstKey());
    }
  }

  void runBegan(long stamp) {
    openRuns.merge(stamp, 1, Integer::sum);
  }

  void runEnded(long beganAt) {
    openRuns.computeIfPresent(beganAt, (stamp, runs) -> runs == 1 ? null : runs - 1);
  }

  /** Counts a row; returns whether it is to be sent, because no earlier walk has. */
  boolean add() {
    count++;
    return resumed.isEmpty() || !resumed.get().isPast(hlc, count);
  }

  /** Where to go on after what has been emitted. */
  StreamPlace place() {
    StreamPlace here = new StreamPlace(isFromStart ? start : oldestRun, hlc, count);
    return resumed.filter(earlier -> earlier.isPast(hlc, count)).orElse(here);
  }
}
