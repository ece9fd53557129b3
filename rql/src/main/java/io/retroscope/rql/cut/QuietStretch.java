package io.retroscope.rql.cut;

/**
 * A walk over cuts at which a {@link QuietRule} shows that nothing happens. Used by one thread.
 *
 * <p>It applies rows that do nothing but replace LONGs by others. It ends before the first stamp
 * that has another row, or at which the predicate may be TRUE or fail, so that the ordinary walk
 * finds the state as if it had walked all the way.
 */
final class QuietStretch {
  /*
   * The rule is evaluated once for many cuts: the columns give bounds of the values that they have
   * at any of them, and the rule shows what the predicate may be within these bounds. If it may be
   * TRUE, the stretch is made shorter; below a minimum the rule is evaluated at each cut. The minimum
   * follows the number of nodes, because finding the extremes takes time in proportion to it.
   */
  private static final int MIN_WRITES = 16;
  private static final int MAX_WRITES = 1_024;

  /** The number of stretches after which a longer one is tried again. */
  private static final int PATIENCE = 16;

  private final CutState state;
  private final LongWrites writes = new LongWrites();
  private int length = MIN_WRITES;
  private int longest = MAX_WRITES;
  private int patience = PATIENCE;
  private long cuts;
  private long events;
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
    if (!rows.has() || rows.hlc() > last) {
      return false;
    }
    writes.fill(rows);
    int from = writes.placeOf(rows.index());
    int end = writes.placeAfter(last);
    int stop = pass(rule, from, end);
    int row = stop < end ? firstRowAt(writes.row(stop), rows) : firstRowAfter(last, rows);
    events = (long) row - rows.index();
    if (events == 0) {
      return false;
    }
    cuts = writes.countStamps(from, stop);
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
    int shortest = Math.max(MIN_WRITES, state.nodes().size() / 2);
    length = Math.max(length, shortest);
    int at = from;
    while (at < end) {
      int to = writes.stampEnd(at + length, end);
      if (passAtOnce(rule, at, to)) {
        lengthen();
        at = to;
      } else if (length > shortest) {
        shorten(shortest);
      } else {
        int stop = passOneByOne(rule, at, to);
        if (stop < to) {
          longest = MAX_WRITES;
          return stop;
        }
        at = to;
      }
    }
    return at;
  }

  private void lengthen() {
    if (--patience == 0) {
      patience = PATIENCE;
      longest = Math.min(MAX_WRITES, 2 * longest);
    }
    length = Math.min(longest, 2 * length);
  }

  private void shorten(int shortest) {
    length = Math.max(shortest, length / 2);
    longest = length;
    patience = PATIENCE;
  }

  private boolean passAtOnce(QuietRule rule, int from, int to) {
    boolean quiet = examine(from, to) && (rule.isQuiet() || isNarrowlyQuiet(rule));
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
    boolean areLongs = true;
    for (ColumnWrites column : writes.columns()) {
      column.select(from, to);
      areLongs &= column.beginStretch(nodeCount);
    }
    return areLongs;
  }

  private boolean isNarrowlyQuiet(QuietRule rule) {
    for (ColumnWrites column : writes.columns()) {
      column.narrowStretch();
    }
    return rule.isQuiet();
  }

  private int passOneByOne(QuietRule rule, int from, int to) {
    int at = from;
    while (at < to) {
      int next = writes.stampEnd(at + 1, to);
      int applied = apply(at, next);
      boolean complete = applied == writes.columns().length;
      if (!complete || !rule.isQuiet()) {
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

  /** The number of cuts passed. */
  long cuts() {
    return cuts;
  }

  /** The number of events passed. */
  long events() {
    return events;
  }

  /** The packed stamp passed last. */
  long lastHlc() {
    return lastHlc;
  }
}
