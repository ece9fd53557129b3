// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.Arrival;
import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.PerBlock;
import io.retroscope.blocks.merge.RowTest;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * A function from the blocks that arrived to sealed blocks of one log. Immutable and thread-safe,
 * except that it adds names to the tables.
 *
 * <p>The borders of the blocks depend on nothing but the events: a block ends where the events of
 * the next stamp do not fit any more. This makes resealing exact.
 */
public final class Sealing {
  /** The usual number of rows of a block. */
  public static final int ROWS = 8_192;

  /* A block that exceeds one of these takes no further stamp. */
  private static final int FULL_CHANGES = 1 << 17;
  private static final long FULL_TEXT = 8L << 20;

  private static final long[] NO_BORDERS = {};

  private final String log;
  private final StoreNames names;
  private final Comparator<Run> ties;
  private final int maxRows;

  /**
   * A sealing of one log.
   *
   * @param ties the order of runs for events with equal stamps
   * @param maxRows of a block, 1 to {@link SealedSummary#MAX_ROWS}; more only if they share one
   *     stamp
   */
  public Sealing(String log, StoreNames names, Comparator<Run> ties, int maxRows) {
    if (maxRows < 1 || maxRows > SealedSummary.MAX_ROWS) {
      throw new IllegalArgumentException(
          "rows of a sealed block must be 1 to " + SealedSummary.MAX_ROWS + ": " + maxRows);
    }
    this.log = log;
    this.names = names;
    this.ties = ties;
    this.maxRows = maxRows;
  }

  /** Seals the events of blocks; returns the sealed blocks in order. */
  public List<SealedBlock> seal(List<EventBlock> arrivals) {
    return seal(arrivals, NO_BORDERS, Long.MAX_VALUE);
  }

  /**
   * Like {@link #seal(List)}, for the events up to a stamp, where blocks end at borders as well,
   * such as the ends of other blocks.
   *
   * @param borders packed stamps, ascending; no block has rows both below a border and from it on
   * @param to packed, inclusive
   */
  public List<SealedBlock> seal(List<EventBlock> arrivals, long[] borders, long to) {
    return seal(arrivals, borders.clone(), Long.MIN_VALUE, to);
  }

  /**
   * Like {@link #seal(List)}, for the events with stamps within a range.
   *
   * @param from packed, inclusive
   * @param to packed, inclusive
   */
  public List<SealedBlock> seal(List<EventBlock> arrivals, long from, long to) {
    return seal(arrivals, NO_BORDERS, from, to);
  }

  private List<SealedBlock> seal(List<EventBlock> arrivals, long[] borders, long from, long to) {
    LongMerge longs = LongMerge.of(arrivals, log, from, to, names, ties);
    return longs == null
        ? sealRowByRow(arrivals, borders, from, to)
        : new Progress(borders).addLongs(longs).end();
  }

  /** Like {@link #seal(List, long[], long)}, for rows of any kinds. */
  List<SealedBlock> sealRowByRow(List<EventBlock> arrivals, long[] borders, long from, long to) {
    List<BlockSource> sources = new ArrayList<>();
    arrivals.forEach(block -> sources.add(BlockSource.of(block)));
    Progress progress = new Progress(borders);
    merge(new ArrivalWindow(sources, RowTest.ofLogs(Set.of(log)), from, to, ties), progress);
    return progress.end();
  }

  /** A receiver of the rows of one stamp. */
  private interface StampRows {
    void accept(PerBlock<Arrival> arrivals, ArrivalWindow window, int from, int to);
  }

  private void merge(ArrivalWindow window, StampRows receiver) {
    PerBlock<Arrival> arrivals = new PerBlock<>(block -> new Arrival(block, log, names));
    while (window.next()) {
      for (int from = 0; from < window.size(); ) {
        int to = from + 1;
        while (to < window.size() && window.hlc(to) == window.hlc(from)) {
          to++;
        }
        receiver.accept(arrivals, window, from, to);
        from = to;
      }
    }
  }

  private static void addAll(
      PerBlock<Arrival> arrivals, ArrivalWindow window, int from, int to, RowBuffer rows) {
    for (int i = from; i < to; i++) {
      rows.add(arrivals.of(window, i), window.row(i));
    }
  }

  /** The blocks so far, and the rows of the next one. */
  private final class Progress implements StampRows {
    private final RowBuffer rows = new RowBuffer();
    private final List<SealedBlock> blocks = new ArrayList<>();
    private final long[] borders;
    private int nextBorder;

    Progress(long[] borders) {
      this.borders = borders;
    }

    @Override
    public void accept(PerBlock<Arrival> arrivals, ArrivalWindow window, int from, int to) {
      boolean isFull =
          rows.size() + (to - from) > maxRows
              || rows.changeCount() > FULL_CHANGES
              || rows.textLength() > FULL_TEXT;
      if (isBorderUpTo(window.hlc(from)) || isFull) {
        sealRows();
      }
      addAll(arrivals, window, from, to, rows);
    }

    /** Adds all rows of a merge to a progress without rows. */
    Progress addLongs(LongMerge merge) {
      for (int from = 0; from < merge.size(); ) {
        boolean unused = isBorderUpTo(merge.hlc(from));
        int to = merge.endOfBlock(from, maxRows);
        to = nextBorder < borders.length ? merge.firstAt(borders[nextBorder], from, to) : to;
        merge.fill(rows, from, to);
        sealRows();
        from = to;
      }
      return this;
    }

    /** Whether a stamp reaches the next border; moves to the one after it. */
    private boolean isBorderUpTo(long hlc) {
      int before = nextBorder;
      while (nextBorder < borders.length && borders[nextBorder] <= hlc) {
        nextBorder++;
      }
      return nextBorder > before;
    }

    List<SealedBlock> end() {
      sealRows();
      return List.copyOf(blocks);
    }

    private void sealRows() {
      if (rows.size() == 0) {
        return;
      }
      rows.sortRuns();
      VariableSections variables = new VariableSections(rows);
      SealedSummary zone = zone(variables);
      byte[] bytes = SealedBlockWriter.encode(log, rows, zone, variables);
      try {
        blocks.add(SealedBlockReader.open(bytes, names));
      } catch (CorruptBlockException e) {
        throw new IllegalStateException("a block that was just sealed cannot be opened", e);
      }
      rows.clear();
    }

    private SealedSummary zone(VariableSections variables) {
      BitSet nodes = new BitSet();
      for (int run = 0; run < rows.runs().size(); run++) {
        nodes.set(rows.nodeIdOfRun(run));
      }
      int last = rows.size() - 1;
      int cuts = 1;
      for (int row = 1; row <= last; row++) {
        cuts += rows.hlc[row] == rows.hlc[row - 1] ? 0 : 1;
      }
      return new SealedSummary(
          rows.hlc[0], rows.hlc[last], rows.size(), cuts, kinds(), nodes, variables.written());
    }

    /** The bits of the kinds of the rows. */
    private int kinds() {
      if (rows.holdsLongsOnly()) {
        return 1 << EventKind.STATE_CHANGE.code();
      }
      int kinds = 0;
      for (int row = 0; row < rows.size(); row++) {
        kinds |= 1 << rows.kind(row).code();
      }
      return kinds;
    }
  }
}
