// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;

/**
 * A walk over cuts at which a {@link QuietRule} shows that nothing happens. Used by one thread.
 *
 * <p>It applies rows that do nothing but replace numbers by others. It ends before the first stamp
 * that has another row, or at which the predicate may be TRUE or fail, so that the ordinary walk
 * finds the state as if it had walked all the way.
 */
final class QuietStretch {
  /*
   * First the rule is evaluated once for many cuts: the columns give bounds of the values that they
   * have at any of them, and the rule shows what the predicate may be within these bounds. If it may
   * be TRUE, the next stretches are shorter. Bounds that do not decide even then are not tried for a
   * while. In their place, the rule is evaluated at each cut of a stretch, one operation after the
   * other for all cuts, as column stores do (Boncz, Zukowski and Nes: MonetDB/X100, CIDR 2005). The
   * truths are kept until the walk has left the stretch, because it may stop at many of its cuts. A
   * rule that has no such evaluation, or may fail, is evaluated in the state of each cut.
   */
  private static final int MIN_BOUNDED = 32;
  private static final int MAX_BOUNDED = 1_024;

  /** The number of writes that are examined cut by cut; their series fit the nearest cache. */
  private static final int EACH = 256;

  /** The limit of it with many nodes, whose values are copied for each stretch. */
  private static final int MAX_EACH = 512;

  /** The number of stretches after which bounds are tried again, or a longer stretch. */
  private static final int PATIENCE = 16;

  private final CutState state;
  private final LongWrites writes = new LongWrites();
  private final WritePlaces places = writes.places();
  private int length = MIN_BOUNDED;
  private int longest = MAX_BOUNDED;
  private int patience = PATIENCE;

  /** The number of stretches for which bounds are not tried. */
  private int unbounded;

  /* The stretch whose cuts are examined one by one. */
  private final Stretch stretch = new Stretch();
  private int stretchFrom;
  private int stretchTo;
  private long stretchFill;
  private int stretchNodes;

  private boolean isDecided;
  private long cuts;
  private long events;
  private long lastCut;
  private long lastHlc;

  QuietStretch(CutState state) {
    this.state = state;
  }

  /**
   * Moves over rows as far as the rule allows, at most to the end of a window.
   *
   * @param last packed, the last stamp that may be passed
   * @return whether any row was passed
   */
  boolean pass(Rows rows, QuietRule rule, long last) {
    isDecided = false;
    if (!rows.has() || rows.hlc() > last) {
      return false;
    }
    writes.fill(rows);
    int from = places.placeOf(rows.index());
    int end = places.placeAfter(last);
    int stop = pass(rule, from, end);
    int row = stop < end ? firstRowAt(places.row(stop), rows) : firstRowAfter(last, rows);
    events = (long) row - rows.index();
    if (events == 0) {
      return false;
    }
    cuts = writes.countStamps(from, stop);
    lastCut = cuts == 0 ? HlcTimestamp.MIN_PACKED : rows.hlc(places.row(stop - 1));
    lastHlc = rows.hlc(row - 1);
    rows.moveTo(row);
    return true;
  }

  /** The first row that has the stamp of a row. */
  private static int firstRowAt(int row, Rows rows) {
    int first = row;
    while (first > rows.index() && rows.hlc(first - 1) == rows.hlc(row)) {
      first--;
    }
    return first;
  }

  private int firstRowAfter(long last, Rows rows) {
    int low = rows.index();
    int high = writes.endRow();
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

  /** Applies writes; returns the place of the first one that is not applied. */
  private int pass(QuietRule rule, int from, int end) {
    int at = from;
    while (at < end) {
      if (!isExamined(at)) {
        int to = places.stampEnd(at + length, end);
        if (unbounded == 0 && passAtOnce(rule, at, to)) {
          lengthen();
          at = to;
          continue;
        }
        shorten();
        if (!begin(at, end)) {
          return passOneByOne(rule, at, places.stampEnd(at + EACH, end));
        }
      }
      int to = Math.min(stretchTo, end);
      int stop = passEach(rule, at, to);
      if (stop < to) {
        return stop;
      }
      at = to;
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

  /** Whether a write is in the stretch that was examined, and the state is what it was then. */
  private boolean isExamined(int place) {
    return stretchFrom <= place
        && place < stretchTo
        && stretchFill == writes.fills()
        && stretchNodes == state.nodes().size();
  }

  /** Begins a stretch; returns false if not all of its writes replace a number. */
  private boolean begin(int from, int end) {
    int nodeCount = state.nodes().size();
    int size = Math.min(MAX_EACH, Math.max(EACH, nodeCount / 2));
    int to = places.stampEnd(from + size, end);
    for (ColumnWrites column : writes.columns()) {
      column.select(from, to);
      if (!column.replaceNumbers(nodeCount)) {
        return false;
      }
    }
    stretchFrom = from;
    stretchTo = to;
    stretchFill = writes.fills();
    stretchNodes = nodeCount;
    stretch.begin(to - from);
    for (ColumnWrites column : writes.columns()) {
      column.beginSeries(stretch, from);
    }
    return true;
  }

  private int passEach(QuietRule rule, int from, int to) {
    byte[] truths = stretch.truths(rule);
    if (truths == null) {
      return passOneByOne(rule, from, to);
    }
    int at = firstNotQuiet(truths, from - stretchFrom, to - stretchFrom) + stretchFrom;
    while (at < to && !places.endsStamp(at, to)) {
      at = firstNotQuiet(truths, at + 1 - stretchFrom, to - stretchFrom) + stretchFrom;
    }
    isDecided = at < to;
    int stop = at < to ? places.stampStart(at, from) : to;
    for (ColumnWrites column : writes.columns()) {
      column.select(from, stop);
      column.apply();
    }
    return stop;
  }

  private static int firstNotQuiet(byte[] truths, int from, int to) {
    int at = from;
    while (at < to && truths[at] < QuietRule.TRUE) {
      at++;
    }
    return at;
  }

  private boolean passAtOnce(QuietRule rule, int from, int to) {
    boolean quiet = examine(from, to) && rule.isQuiet();
    for (ColumnWrites column : writes.columns()) {
      column.endStretch();
    }
    if (quiet) {
      for (ColumnWrites column : writes.columns()) {
        column.apply();
      }
    }
    return quiet;
  }

  private boolean examine(int from, int to) {
    int nodeCount = state.nodes().size();
    boolean areNumbers = true;
    for (ColumnWrites column : writes.columns()) {
      column.select(from, to);
      areNumbers &= column.beginStretch(nodeCount);
    }
    return areNumbers;
  }

  private int passOneByOne(QuietRule rule, int from, int to) {
    int at = from;
    while (at < to) {
      int next = places.stampEnd(at + 1, to);
      int applied = apply(at, next);
      boolean complete = applied == writes.columns().length;
      if (!complete || !rule.isQuiet()) {
        isDecided = complete;
        for (int i = 0; i < applied; i++) {
          writes.columns()[i].takeBack();
        }
        return at;
      }
      at = next;
    }
    return at;
  }

  /** Applies the writes of one stamp; returns the number of columns to which it did. */
  private int apply(int from, int to) {
    ColumnWrites[] columns = writes.columns();
    for (int i = 0; i < columns.length; i++) {
      columns[i].select(from, to);
      if (!columns[i].applySingly()) {
        return i;
      }
    }
    return columns.length;
  }

  /** Whether the next cut was not passed because the predicate may be TRUE there, or fail. */
  boolean isDecided() {
    return isDecided;
  }

  /** The number of cuts passed. */
  long cuts() {
    return cuts;
  }

  /** The number of events passed. */
  long events() {
    return events;
  }

  /** The packed stamp of the last cut passed, {@link HlcTimestamp#MIN_PACKED} without one. */
  long lastCut() {
    return lastCut;
  }

  /** The packed stamp passed last. */
  long lastHlc() {
    return lastHlc;
  }
}
