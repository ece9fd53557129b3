package io.retroscope.blocks;

import io.retroscope.blocks.SealedZone.ValueRange;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A function from the blocks that arrived, and the state before them, to sealed blocks of one log.
 * Immutable and thread-safe, except that it adds names to the tables.
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
   * @param maxRows of a block, 1 to {@link SealedBlockCodec#MAX_ROWS}; more only if they share one
   *     stamp
   */
  public Sealing(String log, StoreNames names, Comparator<Run> ties, int maxRows) {
    if (maxRows < 1 || maxRows > SealedBlockCodec.MAX_ROWS) {
      throw new IllegalArgumentException(
          "rows of a sealed block must be 1 to " + SealedBlockCodec.MAX_ROWS + ": " + maxRows);
    }
    this.log = log;
    this.names = names;
    this.ties = ties;
    this.maxRows = maxRows;
  }

  /**
   * Sealed blocks and the state after them.
   *
   * @param blocks in order
   */
  public record Sealed(List<SealedBlock> blocks, Checkpoint end) {}

  /**
   * Seals the events of blocks.
   *
   * @param start the state before them; unchanged
   */
  public Sealed seal(List<EventBlock> arrivals, Checkpoint start) {
    Progress progress = new Progress(start.copy(), true, NO_BORDERS);
    merge(arrivals, progress);
    return progress.end();
  }

  /**
   * Seals the events of blocks without the state before them: the sealed blocks have no values at
   * their starts and no ranges of values.
   */
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
        : new Progress(new Checkpoint(), false, borders).addLongs(longs).end().blocks();
  }

  /** Like {@link #seal(List, long[], long)}, for rows of any kinds. */
  List<SealedBlock> sealRowByRow(List<EventBlock> arrivals, long[] borders, long from, long to) {
    List<BlockSource> sources = new ArrayList<>();
    arrivals.forEach(block -> sources.add(BlockSource.of(block)));
    Progress progress = new Progress(new Checkpoint(), false, borders);
    merge(new ArrivalWindow(sources, RowTest.ofLogs(Set.of(log)), from, to, ties), progress);
    return progress.end().blocks();
  }

  /**
   * Seals again from a block on, together with late events. With {@code from} as {@link
   * #firstAffected} has it, the result is the same as if all events had been sealed at once.
   *
   * @param from sealed blocks, the last of which is the log's last
   * @param start the state before the first of them; see {@link #stateAfter}
   * @throws CorruptBlockException if one of the blocks is damaged
   */
  public Sealed reseal(List<SealedBlock> from, Checkpoint start, List<EventBlock> late)
      throws CorruptBlockException {
    List<EventBlock> arrivals = new ArrayList<>();
    for (SealedBlock block : from) {
      arrivals.addAll(block.arrivals());
    }
    arrivals.addAll(late);
    return seal(arrivals, start);
  }

  /** The index of the first block that an event with a stamp may change; 0 if there are none. */
  public static int firstAffected(List<SealedZone> zones, long hlc) {
    int affected = 0;
    for (int i = 0; i < zones.size() && zones.get(i).firstHlc() <= hlc; i++) {
      affected = i;
    }
    return affected;
  }

  /**
   * The state after sealed blocks.
   *
   * @param start the state before them; unchanged
   * @throws CorruptBlockException if one of the blocks is damaged
   */
  public Checkpoint stateAfter(Checkpoint start, List<SealedBlock> blocks)
      throws CorruptBlockException {
    Checkpoint state = start.copy();
    for (SealedBlock block : blocks) {
      RowBuffer rows = new RowBuffer();
      merge(block.arrivals(), (known, window, from, to) -> addAll(known, window, from, to, rows));
      for (int row = 0; row < rows.size(); row++) {
        state.apply(rows, row, variable -> {});
      }
    }
    return state;
  }

  /** A receiver of the rows of one stamp. */
  private interface StampRows {
    void accept(PerBlock<Arrival> arrivals, ArrivalWindow window, int from, int to);
  }

  private void merge(List<EventBlock> blocks, StampRows receiver) {
    merge(new ArrivalWindow(blocks, log, ties), receiver);
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
    private final Checkpoint state;
    private final boolean isStateKnown;
    private final RowBuffer rows = new RowBuffer();
    private final List<SealedBlock> blocks = new ArrayList<>();
    private final long[] borders;
    private int nextBorder;

    Progress(Checkpoint state, boolean isStateKnown, long[] borders) {
      this.state = state;
      this.isStateKnown = isStateKnown;
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

    Sealed end() {
      sealRows();
      return new Sealed(List.copyOf(blocks), state);
    }

    private void sealRows() {
      if (rows.size() == 0) {
        return;
      }
      VariableSections variables = new VariableSections(rows, state, isStateKnown);
      SealedZone zone = zone(variables);
      byte[] bytes = SealedBlockCodec.encode(log, rows, zone, variables);
      try {
        blocks.add(SealedBlockCodec.open(bytes, names));
      } catch (CorruptBlockException e) {
        throw new IllegalStateException("a block that was just sealed cannot be opened", e);
      }
      rows.clear();
    }

    /** The summary of the rows; this applies them to the state, if that is known. */
    private SealedZone zone(VariableSections variables) {
      if (rows.holdsLongsOnly() && !isStateKnown) {
        return zoneOfLongs(variables);
      }
      RangeTracker[] trackers = trackers(variables);
      List<RangeTracker> touched = new ArrayList<>();
      BitSet nodes = new BitSet();
      int[] cut = {0};
      int kinds = 0;
      for (int row = 0; row < rows.size(); row++) {
        if (isStateKnown) {
          state.apply(
              rows,
              row,
              id -> {
                if (id < trackers.length && trackers[id] != null && trackers[id].touch(cut[0])) {
                  touched.add(trackers[id]);
                }
              });
        }
        nodes.set(rows.nodeId(row));
        kinds |= 1 << rows.kind(row).code();
        if (row + 1 == rows.size() || rows.hlc[row + 1] != rows.hlc[row]) {
          touched.forEach(tracker -> tracker.observe(cut[0]));
          touched.clear();
          cut[0]++;
        }
      }
      return new SealedZone(
          rows.hlc[0],
          rows.hlc[rows.size() - 1],
          rows.size(),
          cut[0],
          kinds,
          nodes,
          variables.written(),
          ranges(trackers, cut[0]));
    }

    private SealedZone zoneOfLongs(VariableSections variables) {
      BitSet nodes = new BitSet();
      for (int run = 0; run < rows.runs().size(); run++) {
        nodes.set(rows.nodeIdOfRun(run));
      }
      int last = rows.size() - 1;
      int cuts = 1;
      for (int row = 1; row <= last; row++) {
        cuts += rows.hlc[row] == rows.hlc[row - 1] ? 0 : 1;
      }
      int kinds = 1 << EventKind.STATE_CHANGE.code();
      return new SealedZone(
          rows.hlc[0],
          rows.hlc[last],
          rows.size(),
          cuts,
          kinds,
          nodes,
          variables.written(),
          List.of());
    }

    private RangeTracker[] trackers(VariableSections variables) {
      boolean hasMomentary = variables.hasMomentary();
      List<Integer> dense = isStateKnown ? variables.dense() : List.of();
      RangeTracker[] trackers =
          new RangeTracker[dense.isEmpty() ? 0 : dense.get(dense.size() - 1) + 1];
      for (int id : dense) {
        // A log line may set a variable only before the first state change that writes it.
        boolean mayBeSetByLines = hasMomentary && !state.isWritten(id);
        trackers[id] = new RangeTracker(id, state.variable(id), mayBeSetByLines);
      }
      return trackers;
    }

    private static List<ValueRange> ranges(RangeTracker[] trackers, int cutCount) {
      List<ValueRange> ranges = new ArrayList<>();
      for (RangeTracker tracker : trackers) {
        if (tracker != null) {
          Optional<ValueRange> range = tracker.range(cutCount);
          range.ifPresent(ranges::add);
        }
      }
      return ranges;
    }
  }
}
