// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.PerBlock;
import io.retroscope.rql.cut.state.BlockNames;
import org.jspecify.annotations.Nullable;

/**
 * A position in the rows of a scan. The next window is read when it is first requested by {@link
 * #has}, which precedes all other methods at a new position. Used by one thread.
 */
public final class Rows {
  private final ArrivalWindow window;
  private final PerBlock<BlockNames> names;
  private int index;
  private long windows;
  private boolean isLoaded;
  private boolean has;
  private long hlc;

  /** The first row of a scan that has not begun. */
  public Rows(ArrivalWindow window, PerBlock<BlockNames> names) {
    this.window = window;
    this.names = names;
    moveTo(0);
  }

  /** Whether there is a row. */
  public boolean has() {
    if (!isLoaded) {
      isLoaded = true;
      has = window.next();
      windows++;
      index = 0;
      hlc = has ? window.hlc(0) : 0;
    }
    return has;
  }

  /** The block of the next rows, if it is complete and was not read; null otherwise. */
  public @Nullable BlockSource unread() {
    return isLoaded ? null : window.nextAlone();
  }

  /** Passes over the block that {@link #unread} returned. */
  public void skip() {
    window.skip();
  }

  /** The packed stamp of the row. */
  public long hlc() {
    return hlc;
  }

  /** The block of the row. */
  public BlockNames names() {
    return names.of(window, index);
  }

  /** The index of the row in its block. */
  public int row() {
    return window.row(index);
  }

  public void advance() {
    moveTo(index + 1);
  }

  /** The index of the row in the present window, which contains all rows of its stamp. */
  int index() {
    return index;
  }

  /** A number that no other window of any scan of this walk has. */
  long window() {
    return windows;
  }

  /** The number of rows of the present window. */
  int windowSize() {
    return window.size();
  }

  /** Makes the present window one of one block if that is possible; its rows stay the same. */
  void join() {
    window.join();
  }

  /** Whether the rows of the present window are consecutive ones of one block. */
  boolean isOfOneBlock() {
    return window.isOfOneBlock();
  }

  /** The packed stamp of a row of the present window. */
  public long hlc(int other) {
    return window.hlc(other);
  }

  public BlockNames names(int other) {
    return names.of(window, other);
  }

  public int row(int other) {
    return window.row(other);
  }

  /** Moves to a row of the present window or, after its last one, to the next window. */
  void moveTo(int other) {
    index = other;
    isLoaded = index < window.size();
    if (isLoaded) {
      hlc = window.hlc(index);
    }
  }

  /** The number of next rows in the present window up to a limit, less those of a stamp cut off. */
  int wholeStamps(int limit) {
    int end = Math.min(windowSize(), index + limit);
    return (end < windowSize() ? stampStart(end, index) : end) - index;
  }

  /** The first row, at or after another one, that has the stamp of a row. */
  int stampStart(int row, int first) {
    int start = row;
    while (start > first && hlc(start - 1) == hlc(row)) {
      start--;
    }
    return start;
  }
}
