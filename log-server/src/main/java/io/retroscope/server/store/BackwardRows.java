package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The rows of several blocks from the latest stamp back: a merge that asks when a block's last
 * stamp is due whether the block matters, and reads it only then. Used by one thread.
 *
 * @param <L> how a block that was read is looked at
 */
final class BackwardRows<L> {
  private final List<BlockZone> zones;
  private final long before;
  private final Predicate<BlockZone> matters;
  private final Function<BlockZone, EventBlock> reader;
  private final Function<EventBlock, L> lens;
  private final PriorityQueue<Cursor> cursors =
      new PriorityQueue<>(Comparator.<Cursor>comparingLong(cursor -> cursor.hlc).reversed());
  private final List<BlockZone> read = new ArrayList<>();
  private List<BlockZone> passed = new ArrayList<>();
  private int nextZone;

  /**
   * A merge.
   *
   * @param zones those that end last first
   * @param before packed; rows at and above it are left out
   * @param reader gives the block of a zone
   */
  BackwardRows(
      List<BlockZone> zones,
      long before,
      Predicate<BlockZone> matters,
      Function<BlockZone, EventBlock> reader,
      Function<EventBlock, L> lens) {
    this.zones = zones;
    this.before = before;
    this.matters = matters;
    this.reader = reader;
    this.lens = lens;
  }

  /** Takes one row. */
  interface Visitor<L> {
    /**
     * Looks at a row.
     *
     * @return whether blocks may matter now that did not before
     */
    boolean visit(L block, int row, long hlc);
  }

  /** Hands over all rows of the blocks that matter. */
  void forEach(Visitor<L> visitor) {
    openDueBlocks();
    for (Cursor last = cursors.poll(); last != null; last = cursors.poll()) {
      long hlc = last.hlc;
      boolean reconsider = visitor.visit(last.view, last.row, hlc);
      if (last.retreat()) {
        cursors.add(last);
      }
      if (reconsider) {
        openPassedBlocks(hlc);
      }
      openDueBlocks();
    }
  }

  /** The blocks that were read so far. */
  List<BlockZone> read() {
    return read;
  }

  /** Afterwards no block that matters and was not opened can hold the next row. */
  private void openDueBlocks() {
    while (nextZone < zones.size()) {
      Cursor last = cursors.peek();
      if (last != null && last.hlc > zones.get(nextZone).lastHlc()) {
        return;
      }
      BlockZone zone = zones.get(nextZone++);
      if (matters.test(zone)) {
        open(zone, before);
      } else {
        passed.add(zone);
      }
    }
  }

  private void openPassedBlocks(long below) {
    List<BlockZone> still = new ArrayList<>();
    for (BlockZone zone : passed) {
      if (zone.firstHlc() < below) {
        if (matters.test(zone)) {
          open(zone, below);
        } else {
          still.add(zone);
        }
      }
    }
    passed = still;
  }

  private void open(BlockZone zone, long below) {
    read.add(zone);
    Cursor cursor = new Cursor(reader.apply(zone), below);
    if (cursor.retreat()) {
      cursors.add(cursor);
    }
  }

  /** A place in one block. */
  private final class Cursor {
    private final EventBlock block;
    private final L view;
    private int row;
    private long hlc;

    Cursor(EventBlock block, long below) {
      this.block = block;
      view = lens.apply(block);
      row = EventRows.firstAt(block, below);
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
