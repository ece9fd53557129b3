package io.retroscope.rql.cut;

import io.retroscope.blocks.ArrivalWindow;
import io.retroscope.blocks.PerBlock;

/** A position in the rows of a scan. Used by one thread. */
final class Rows {
  private final ArrivalWindow window;
  private final PerBlock<BlockNames> names;
  private int index;
  private boolean has;
  private long hlc;

  /** The first row of a scan that has not begun. */
  Rows(ArrivalWindow window, PerBlock<BlockNames> names) {
    this.window = window;
    this.names = names;
    moveTo(0);
  }

  /** Whether there is a row. */
  boolean has() {
    return has;
  }

  /** The packed stamp of the row. */
  long hlc() {
    return hlc;
  }

  /** The block of the row. */
  BlockNames names() {
    return names.of(window, index);
  }

  /** The index of the row in its block. */
  int row() {
    return window.row(index);
  }

  void advance() {
    moveTo(index + 1);
  }

  /** The index of the row in the present window, which contains all rows of its stamp. */
  int index() {
    return index;
  }

  boolean isAt(int other, long stamp) {
    return other < window.size() && window.hlc(other) == stamp;
  }

  BlockNames names(int other) {
    return names.of(window, other);
  }

  int row(int other) {
    return window.row(other);
  }

  /** Moves to a row of the present window or, after its last one, to the next window. */
  void moveTo(int other) {
    index = other;
    has = index < window.size();
    if (!has) {
      has = window.next();
      index = 0;
    }
    if (has) {
      hlc = window.hlc(index);
    }
  }
}
