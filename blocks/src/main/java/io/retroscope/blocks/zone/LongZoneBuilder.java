// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.zone;

import io.retroscope.blocks.zone.LongZone.Early;
import io.retroscope.blocks.zone.LongZone.Late;
import io.retroscope.blocks.zone.LongZone.Node;
import io.retroscope.blocks.zone.LongZone.Variable;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** The making of a {@link LongZone} from the rows of a block, in order. Used by one thread. */
final class LongZoneBuilder {
  private static final int NO_ROW = -1;
  private static final int NO_WRITER = -1;

  private final EventBlock rows;
  private final int minWrites;

  LongZoneBuilder(EventBlock rows, int minWrites) {
    this.rows = rows;
    this.minWrites = minWrites;
  }

  Optional<LongZone> zone() {
    boolean areOneRunEach = new HashSet<>(rows.nodes()).size() == rows.nodes().size();
    if (rows.isEmpty() || rows.logs().size() != 1 || !areOneRunEach || !areDistinctStateChanges()) {
      return Optional.empty();
    }
    List<Variable> variables = new ArrayList<>();
    for (int name = 0; name < rows.variables().size(); name++) {
      Writes writes = new Writes(name);
      if (writes.areLongs() && writes.isWorthwhile()) {
        writes.variable().ifPresent(variables::add);
      }
    }
    return variables.isEmpty()
        ? Optional.empty()
        : Optional.of(new LongZone(rows.logs().get(0), rows.variables(), countCuts(), variables));
  }

  private boolean areDistinctStateChanges() {
    for (int row = 0; row < rows.size() && !rows.writesLongsOnly(); row++) {
      if (rows.kind(row) != EventKind.STATE_CHANGE || rows.markBits(row) != 0) {
        return false;
      }
    }
    if (rows.nextTie(1, rows.size()) == rows.size()) {
      return true;
    }
    int[] lastRow = new int[rows.nodes().size()];
    Arrays.fill(lastRow, NO_ROW);
    for (int row = 0; row < rows.size(); row++) {
      int node = rows.nodeIndex(row);
      int previous = lastRow[node];
      if (previous != NO_ROW && rows.hlc(previous) == rows.hlc(row)) {
        return false;
      }
      lastRow[node] = row;
    }
    return true;
  }

  private int countCuts() {
    long[] stamps = new long[rows.size()];
    rows.copyStamps(0, stamps.length, stamps, 0);
    return countCuts(stamps, stamps.length);
  }

  /** The writes of one variable. */
  private final class Writes {
    private final int name;
    private int size;

    /* By write: the stamp and the writer of its row, and the number. */
    private long[] stamps = new long[16];
    private int[] writers = new int[16];
    private long[] written = new long[16];
    private int lastRow = NO_ROW;

    /* The nodes that write, in the order of their first writes. */
    private final int[] writerOf = new int[rows.nodes().size()];
    private int writerCount;

    /* By writer: its first write, its number so far, and when that last changed. */
    private final int[] firstWrite = new int[writerOf.length];
    private final long[] numbers = new long[writerOf.length];
    private final long[] changeHlc = new long[writerOf.length];

    Writes(int name) {
      this.name = name;
      Arrays.fill(writerOf, NO_WRITER);
      Arrays.fill(changeHlc, LongZone.NEVER);
    }

    /** Finds the writes; returns false if one does not set a LONG, or a row has two. */
    boolean areLongs() {
      if (rows.writesLongsOnly() && rows.variables().size() == 1) {
        addAllRows();
        return true;
      }
      for (int row = 0; row < rows.size(); row++) {
        for (int change = rows.firstChange(row); change < rows.endChange(row); change++) {
          if (rows.nameIndex(change) == name && !add(row, change)) {
            return false;
          }
        }
      }
      return size > 0;
    }

    /** Adds the writes of a block in which each row sets this variable. */
    private void addAllRows() {
      size = rows.size();
      stamps = new long[size];
      rows.copyStamps(0, size, stamps, 0);
      written = new long[size];
      rows.copyBits(0, size, written, 0);
      writers = new int[size];
      for (int row = 0; row < size; row++) {
        writers[row] = writer(rows.nodeIndex(row), row);
      }
    }

    private boolean add(int row, int change) {
      if (rows.operation(change) != Operation.SET
          || rows.type(change) != ValueType.LONG
          || lastRow == row) {
        return false;
      }
      lastRow = row;
      if (size == stamps.length) {
        stamps = Arrays.copyOf(stamps, 2 * size);
        writers = Arrays.copyOf(writers, 2 * size);
        written = Arrays.copyOf(written, 2 * size);
      }
      stamps[size] = rows.hlc(row);
      written[size] = rows.bits(change);
      writers[size] = writer(rows.nodeIndex(row), size);
      size++;
      return true;
    }

    /** The writer of a write whose number is known. */
    private int writer(int node, int write) {
      if (writerOf[node] == NO_WRITER) {
        firstWrite[writerCount] = write;
        numbers[writerCount] = written[write];
        writerOf[node] = writerCount++;
      }
      return writerOf[node];
    }

    boolean isWorthwhile() {
      return size >= (long) minWrites * writerCount;
    }

    /** The bounds; empty if a difference does not fit into a LONG. */
    Optional<Variable> variable() {
      // The first cut at which all nodes have written.
      int from = firstWrite[writerCount - 1];
      while (from > 0 && stamps[from - 1] == stamps[from]) {
        from--;
      }
      Early early = early(from);
      long[] mins = new long[size - from];
      long[] maxes = new long[size - from];
      int lateCuts = findExtremes(from, mins, maxes);
      Late late = late(mins, maxes, lateCuts);
      int cuts = LongZoneBuilder.countCuts(stamps, from) + lateCuts;
      return late.minSpread() < 0
          ? Optional.empty()
          : Optional.of(
              new Variable(
                  rows.variables().get(name), cuts, stamps[size - 1], early, late, nodes()));
    }

    private Early early(int end) {
      long min = Long.MAX_VALUE;
      long max = Long.MIN_VALUE;
      for (int i = 0; i < end; i++) {
        min = Math.min(min, written[i]);
        max = Math.max(max, written[i]);
        if (numbers[writers[i]] != written[i]) {
          numbers[writers[i]] = written[i];
          changeHlc[writers[i]] = stamps[i];
        }
      }
      return new Early(min, max);
    }

    /**
     * Finds the extremes at the end of each cut, and at how many nodes they are, so that the nodes
     * are searched only when none is left there.
     *
     * @return the number of cuts
     */
    private int findExtremes(int from, long[] mins, long[] maxes) {
      long min = min(numbers, writerCount);
      long max = max(numbers, writerCount);
      int atMin = count(numbers, writerCount, min);
      int atMax = count(numbers, writerCount, max);
      int cuts = 0;
      for (int i = from; i < size; i++) {
        long number = written[i];
        long gone = numbers[writers[i]];
        if (gone != number) {
          numbers[writers[i]] = number;
          changeHlc[writers[i]] = stamps[i];
          atMin = number < min ? 1 : atMin + one(number == min) - one(gone == min);
          atMax = number > max ? 1 : atMax + one(number == max) - one(gone == max);
          min = atMin > 0 ? Math.min(min, number) : min(numbers, writerCount);
          max = atMax > 0 ? Math.max(max, number) : max(numbers, writerCount);
          atMin = atMin > 0 ? atMin : count(numbers, writerCount, min);
          atMax = atMax > 0 ? atMax : count(numbers, writerCount, max);
        }
        mins[cuts] = min;
        maxes[cuts] = max;
        cuts += one(i + 1 == size || stamps[i + 1] != stamps[i]);
      }
      return cuts;
    }

    /** In one order in all zones: a reader then finds each node where the one before it led. */
    private List<Node> nodes() {
      List<Node> nodes = new ArrayList<>(writerCount);
      for (int node = 0; node < writerOf.length; node++) {
        int writer = writerOf[node];
        if (writer != NO_WRITER) {
          long firstHlc = stamps[firstWrite[writer]];
          nodes.add(new Node(rows.nodes().get(node), numbers[writer], firstHlc, changeHlc[writer]));
        }
      }
      nodes.sort(Comparator.comparing(Node::name));
      return nodes;
    }
  }

  /** The bounds of extremes at cuts. The smallest difference is negative if one does not fit. */
  private static Late late(long[] mins, long[] maxes, int cuts) {
    long minSpread = Long.MAX_VALUE;
    long maxSpread = Long.MIN_VALUE;
    for (int cut = 0; cut < cuts; cut++) {
      minSpread = Math.min(minSpread, maxes[cut] - mins[cut]);
      maxSpread = Math.max(maxSpread, maxes[cut] - mins[cut]);
    }
    return new Late(
        min(mins, cuts), max(maxes, cuts), max(mins, cuts), min(maxes, cuts), minSpread, maxSpread);
  }

  private static long min(long[] numbers, int size) {
    long min = Long.MAX_VALUE;
    for (int i = 0; i < size; i++) {
      min = Math.min(min, numbers[i]);
    }
    return min;
  }

  private static long max(long[] numbers, int size) {
    long max = Long.MIN_VALUE;
    for (int i = 0; i < size; i++) {
      max = Math.max(max, numbers[i]);
    }
    return max;
  }

  private static int count(long[] numbers, int size, long number) {
    int count = 0;
    for (int i = 0; i < size; i++) {
      count += one(numbers[i] == number);
    }
    return count;
  }

  private static int one(boolean isCounted) {
    return isCounted ? 1 : 0;
  }

  private static int countCuts(long[] stamps, int size) {
    int cuts = one(size > 0);
    for (int i = 1; i < size; i++) {
      cuts += one(stamps[i] != stamps[i - 1]);
    }
    return cuts;
  }
}
