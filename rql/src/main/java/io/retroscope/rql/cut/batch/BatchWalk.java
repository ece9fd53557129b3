// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.state.CutState;

/**
 * A walk over cuts at which a {@link QuietRule} shows that nothing happens. Used by one thread.
 *
 * <p>It applies rows that do nothing but replace numbers by others. It ends before the first stamp
 * that has another row, or at which the predicate may be TRUE or fail, so that the ordinary walk
 * finds the state as if it had walked all the way.
 */
public final class BatchWalk {
  /*
   * First the rule is evaluated once for a part of many cuts, within bounds of the values that they
   * have. If the predicate may be TRUE there, the next parts are shorter. Bounds that do not decide
   * even then are not tried for a while. In their place, the rule is evaluated at each place of a
   * part, one operation after the other for all of them, as column stores do (Boncz, Zukowski and
   * Nes: MonetDB/X100, CIDR 2005).
   */
  private static final int MIN_BOUNDED = 32;
  private static final int MAX_BOUNDED = 1_024;

  /** The number of places that are examined one by one; their series fit the nearest cache. */
  private static final int EACH = 256;

  /** The limit of it with many nodes, whose values are copied for each part. */
  private static final int MAX_EACH = 512;

  /** The number of parts after which bounds are tried again, or a longer part. */
  private static final int PATIENCE = 16;

  private final CutState state;
  private final CutBatch batch;
  private int length = MIN_BOUNDED;
  private int longest = MAX_BOUNDED;
  private int patience = PATIENCE;

  /** The number of parts for which bounds are not tried. */
  private int unbounded;

  private boolean isDecided;
  private long cuts;
  private long events;
  private long lastCut;
  private long lastHlc;

  public BatchWalk(CutBatch batch) {
    this.state = batch.state();
    this.batch = batch;
  }

  /**
   * Moves over rows as far as the rule allows, at most to the end of a window.
   *
   * @param last packed, the last stamp that may be passed
   * @return whether any row was passed
   */
  public boolean pass(Rows rows, QuietRule rule, long last) {
    isDecided = false;
    if (!rows.has() || rows.hlc() > last) {
      return false;
    }
    batch.fill(rows);
    int from = batch.placeOf(rows.index());
    int end = batch.placeAfter(last);
    int stop = pass(rule, from, end);
    int row =
        stop < end ? rows.stampStart(batch.row(stop), rows.index()) : firstRowAfter(last, rows);
    events = (long) row - rows.index();
    if (events == 0) {
      return false;
    }
    cuts = batch.countStamps(from, stop);
    lastCut = cuts == 0 ? HlcTimestamp.MIN_PACKED : rows.hlc(batch.row(stop - 1));
    lastHlc = rows.hlc(row - 1);
    rows.moveTo(row);
    return true;
  }

  private int firstRowAfter(long last, Rows rows) {
    int low = rows.index();
    int high = batch.endRow();
    if (low < high && rows.hlc(high - 1) <= last) {
      return high;
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows.hlc(middle) <= last) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Applies the writes of places; returns the first place that is not applied. */
  public int pass(QuietRule rule, int from, int end) {
    int at = from;
    while (at < end) {
      if (!batch.isExamined(at)) {
        int to = batch.stampEnd(at + length, end);
        if (unbounded == 0 && batch.isQuietInRange(rule, at, to)) {
          batch.apply(at, to);
          lengthen();
          at = to;
          continue;
        }
        shorten();
        int places = Math.min(MAX_EACH, Math.max(EACH, state.nodes().size() / 2));
        if (!batch.examine(at, end, places)) {
          return at;
        }
      }
      int to = Math.min(batch.partEnd(), end);
      int stop = firstStop(batch.truths(rule), at, to);
      batch.apply(at, stop);
      if (stop < to) {
        isDecided = true;
        return stop;
      }
      at = to;
    }
    return at;
  }

  /** The first place of the first cut at which the predicate may be TRUE, or fail. */
  private int firstStop(byte[] truths, int from, int to) {
    int first = batch.partStart();
    int at = firstNotQuiet(truths, from - first, to - first) + first;
    while (at < to && !batch.endsStamp(at, to)) {
      at = firstNotQuiet(truths, at + 1 - first, to - first) + first;
    }
    return at < to ? batch.stampStart(at, from) : to;
  }

  private static int firstNotQuiet(byte[] truths, int from, int to) {
    int at = from;
    while (at < to && truths[at] < QuietRule.TRUE) {
      at++;
    }
    return at;
  }

  private void lengthen() {
    if (--patience == 0) {
      patience = PATIENCE;
      longest = Math.min(MAX_BOUNDED, 2 * longest);
    }
    length = Math.min(longest, 2 * length);
  }

  private void shorten() {
    if (unbounded > 0) {
      unbounded--;
    } else if (length == MIN_BOUNDED) {
      unbounded = PATIENCE;
    }
    length = Math.max(MIN_BOUNDED, length / 2);
    longest = length;
    patience = PATIENCE;
  }

  /** Whether the next cut was not passed because the predicate may be TRUE there, or fail. */
  public boolean isDecided() {
    return isDecided;
  }

  /** The number of cuts passed. */
  public long cuts() {
    return cuts;
  }

  /** The number of events passed. */
  public long events() {
    return events;
  }

  /** The packed stamp of the last cut passed, {@link HlcTimestamp#MIN_PACKED} without one. */
  public long lastCut() {
    return lastCut;
  }

  /** The packed stamp passed last. */
  public long lastHlc() {
    return lastHlc;
  }
}
