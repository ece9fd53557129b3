package io.retroscope.blocks;

import io.retroscope.blocks.LongZone.Early;
import io.retroscope.blocks.LongZone.Late;
import io.retroscope.blocks.LongZone.Node;
import io.retroscope.blocks.LongZone.Variable;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/** The making of a {@link LongZone} from the rows of a block, in order. Used by one thread. */
final class LongZoneBuilder {
  private static final int NO_ROW = -1;

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
    int cuts = 1;
    for (int row = 1; row < rows.size(); row++) {
      cuts += rows.hlc(row) == rows.hlc(row - 1) ? 0 : 1;
    }
    return cuts;
  }

  /** The writes of one variable. */
  private final class Writes {
    private final int name;
    private final int nodeCount = rows.nodes().size();
    private int size;

    /* By write: the stamp and the node of its row, and the number. */
    private long[] stamps = new long[16];
    private int[] writingNodes = new int[16];
    private long[] written = new long[16];
    private int writers;
    private int lastRow = NO_ROW;

    /* By the indexes of nodes: what a node wrote so far. */
    private final boolean[] hasWritten = new boolean[nodeCount];
    private final long[] numbers = new long[nodeCount];
    private final long[] firstHlc = new long[nodeCount];
    private final long[] changeHlc = new long[nodeCount];

    /* The extremes, and at how many nodes they are. */
    private long min;
    private long max;
    private int atMin;
    private int atMax;
    private boolean areExtremesKnown;

    private long earlyMin = Long.MAX_VALUE;
    private long earlyMax = Long.MIN_VALUE;
    private long lateMin = Long.MAX_VALUE;
    private long lateMax = Long.MIN_VALUE;
    private long highestMin = Long.MIN_VALUE;
    private long lowestMax = Long.MAX_VALUE;
    private long minSpread = Long.MAX_VALUE;
    private long maxSpread = Long.MIN_VALUE;

    Writes(int name) {
      this.name = name;
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
      writingNodes = new int[size];
      for (int row = 0; row < size; row++) {
        int node = rows.nodeIndex(row);
        writingNodes[row] = node;
        writers += hasWritten[node] ? 0 : 1;
        hasWritten[node] = true;
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
        writingNodes = Arrays.copyOf(writingNodes, 2 * size);
        written = Arrays.copyOf(written, 2 * size);
      }
      int node = rows.nodeIndex(row);
      stamps[size] = rows.hlc(row);
      writingNodes[size] = node;
      written[size++] = rows.bits(change);
      writers += hasWritten[node] ? 0 : 1;
      hasWritten[node] = true;
      return true;
    }

    boolean isWorthwhile() {
      return size >= (long) minWrites * writers;
    }

    /** The bounds; empty if a difference does not fit into a LONG. */
    Optional<Variable> variable() {
      Arrays.fill(hasWritten, false);
      Arrays.fill(changeHlc, LongZone.NEVER);
      int cuts = 0;
      int seen = 0;
      for (int from = 0; from < size; ) {
        int to = from;
        long hlc = stamps[from];
        for (; to < size && stamps[to] == hlc; to++) {
          int node = writingNodes[to];
          seen += hasWritten[node] ? 0 : 1;
          write(node, written[to], hlc);
        }
        if (seen < writers) {
          widenEarly(from, to);
        } else if (!widenLate()) {
          return Optional.empty();
        }
        cuts++;
        from = to;
      }
      Early early = new Early(earlyMin, earlyMax);
      long lastHlc = stamps[size - 1];
      Late late = new Late(lateMin, lateMax, highestMin, lowestMax, minSpread, maxSpread);
      return Optional.of(
          new Variable(rows.variables().get(name), cuts, lastHlc, early, late, nodes()));
    }

    private void write(int node, long number, long hlc) {
      boolean isFirst = !hasWritten[node];
      if (isFirst) {
        hasWritten[node] = true;
        firstHlc[node] = hlc;
      } else if (numbers[node] != number) {
        changeHlc[node] = hlc;
      }
      if (areExtremesKnown) {
        follow(isFirst, numbers[node], number);
      }
      numbers[node] = number;
    }

    /** Keeps the extremes known unless no other node has the one that is replaced. */
    private void follow(boolean isFirst, long gone, long number) {
      atMin -= !isFirst && gone == min ? 1 : 0;
      atMax -= !isFirst && gone == max ? 1 : 0;
      if (number <= min) {
        atMin = number < min ? 1 : atMin + 1;
        min = number;
      }
      if (number >= max) {
        atMax = number > max ? 1 : atMax + 1;
        max = number;
      }
      areExtremesKnown = atMin > 0 && atMax > 0;
    }

    private void widenEarly(int from, int to) {
      for (int i = from; i < to; i++) {
        long number = written[i];
        earlyMin = Math.min(earlyMin, number);
        earlyMax = Math.max(earlyMax, number);
      }
    }

    private boolean widenLate() {
      findExtremes();
      long spread = max - min;
      lateMin = Math.min(lateMin, min);
      lateMax = Math.max(lateMax, max);
      highestMin = Math.max(highestMin, min);
      lowestMax = Math.min(lowestMax, max);
      minSpread = Math.min(minSpread, spread);
      maxSpread = Math.max(maxSpread, spread);
      return spread >= 0;
    }

    private void findExtremes() {
      if (areExtremesKnown) {
        return;
      }
      min = Long.MAX_VALUE;
      max = Long.MIN_VALUE;
      atMin = 0;
      atMax = 0;
      for (int node = 0; node < nodeCount; node++) {
        if (hasWritten[node]) {
          atMin = numbers[node] < min ? 1 : numbers[node] == min ? atMin + 1 : atMin;
          min = Math.min(min, numbers[node]);
          atMax = numbers[node] > max ? 1 : numbers[node] == max ? atMax + 1 : atMax;
          max = Math.max(max, numbers[node]);
        }
      }
      areExtremesKnown = true;
    }

    private List<Node> nodes() {
      List<Node> nodes = new ArrayList<>(writers);
      for (int node = 0; node < nodeCount; node++) {
        if (hasWritten[node]) {
          String called = rows.nodes().get(node);
          nodes.add(new Node(called, numbers[node], firstHlc[node], changeHlc[node]));
        }
      }
      return nodes;
    }
  }
}
