// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.event.EventBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The rows of several blocks in descending order of stamps. A block is read only when its last
 * stamp is due and the merge then finds that the block matters, and is left some rows after it has
 * ceased to matter. Used by one thread.
 *
 * @param <B> the type of blocks that are not read
 * @param <L> the form in which a block that was read is visited
 */
final class BackwardRows<B, L> {
  /** The rows of a block, or more if it has more nodes, after which the test is repeated. */
  private static final int ROWS_BETWEEN_TESTS = 8;

  private final StateBlocks<B> blocks;
  private final List<B> zones;
  private final long before;
  private final Predicate<B> matters;
  private final Function<EventBlock, L> lens;
  private final PriorityQueue<Cursor> cursors =
      new PriorityQueue<>(Comparator.<Cursor>comparingLong(cursor -> cursor.hlc).reversed());
  private final List<B> read = new ArrayList<>();
  private List<B> passed = new ArrayList<>();
  private int nextZone;

  /**
   * A merge.
   *
   * @param zones in descending order of their last stamps
   * @param before packed; rows at or above it are skipped
   */
  BackwardRows(
      StateBlocks<B> blocks,
      List<B> zones,
      long before,
      Predicate<B> matters,
      Function<EventBlock, L> lens) {
    this.blocks = blocks;
    this.zones = zones;
    this.before = before;
    this.matters = matters;
    this.lens = lens;
  }

  /** Takes one row. */
  interface Visitor<L> {
    /**
     * Visits one row.
     *
     * @return whether blocks may matter now that did not before
     */
    boolean visit(L block, int row, long hlc);
  }

  /** Passes the rows of the blocks that matter to the visitor. */
  void forEach(Visitor<L> visitor) {
    openDueBlocks();
    for (Cursor last = cursors.poll(); last != null; last = cursors.poll()) {
      long hlc = last.hlc;
      boolean reconsider = visitor.visit(last.view, last.row, hlc);
      if (last.hasCeasedToMatter()) {
        passed.add(last.zone);
      } else if (last.retreat()) {
        cursors.add(last);
      }
      if (reconsider) {
        openPassedBlocks(hlc);
      }
      openDueBlocks();
    }
  }

  /** The blocks that have been read so far. */
  List<B> read() {
    return read;
  }

  /** Opens blocks until no unopened block that matters can hold the next row. */
  private void openDueBlocks() {
    while (nextZone < zones.size()) {
      Cursor last = cursors.peek();
      if (last != null && last.hlc > blocks.lastHlc(zones.get(nextZone))) {
        return;
      }
      B zone = zones.get(nextZone++);
      if (matters.test(zone)) {
        open(zone, before);
      } else {
        passed.add(zone);
      }
    }
  }

  private void openPassedBlocks(long below) {
    List<B> still = new ArrayList<>();
    for (B zone : passed) {
      if (blocks.firstHlc(zone) < below) {
        if (matters.test(zone)) {
          open(zone, below);
        } else {
          still.add(zone);
        }
      }
    }
    passed = still;
  }

  private void open(B zone, long below) {
    read.add(zone);
    Cursor cursor = new Cursor(zone, blocks.read(zone), below);
    if (cursor.retreat()) {
      cursors.add(cursor);
    }
  }

  /** A position in one block. */
  private final class Cursor {
    private final B zone;
    private final EventBlock block;
    private final L view;

    /**
     * The test looks at each node, so that it must not be made at each row. It grows, because a
     * block that still matters after many rows is likely to be read whole.
     */
    private int rowsBetweenTests;

    private int row;
    private int nextTest;
    private long hlc;

    Cursor(B zone, EventBlock block, long below) {
      this.zone = zone;
      this.block = block;
      view = lens.apply(block);
      rowsBetweenTests = Math.max(ROWS_BETWEEN_TESTS, block.nodes().size());
      row = block.firstAt(below);
      nextTest = row - rowsBetweenTests;
    }

    boolean hasCeasedToMatter() {
      if (row > nextTest) {
        return false;
      }
      rowsBetweenTests *= 2;
      nextTest = row - rowsBetweenTests;
      return !matters.test(zone);
    }

    boolean retreat() {
      if (row == 0) {
        return false;
      }
      hlc = block.hlc(--row);
      return true;
    }
  }
}
