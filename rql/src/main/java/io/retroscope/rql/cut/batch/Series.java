// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import io.retroscope.rql.cut.state.VariableColumn;
import java.util.Arrays;

/**
 * The numbers of one variable at each place of the part of a batch that is examined, in which
 * numbers replace numbers: those of a node, the extremes of all nodes, and counts. Each series is
 * found when it is first requested, and valid until the next part. Used by one thread.
 */
final class Series {
  /*
   * The loops are small static methods over arrays and local variables, because the compiler then
   * keeps their state in registers. They are the hot loops of queries whose bounds do not decide.
   */
  private static final long[] NO_NUMBERS = {};
  private static final byte PACKED = VariableColumn.PACKED;

  /** The number of nodes up to which the numbers of all are compared after each write. */
  private static final int FEW_NODES = 4;

  private final BatchColumn writes;

  /* The state before the part, if that has writes; otherwise it is the present one. */
  private long beforePart = -1;
  private long[] before = NO_NUMBERS;

  /* The series and, for each, the part for which it was found. */
  private long[][] ofNode = {};
  private long[] ofNodePart = NO_NUMBERS;
  private long[] mins = NO_NUMBERS;
  private long[] maxs = NO_NUMBERS;
  private long extremesPart = -1;

  /** Memory of the loop over extremes. */
  private long[] now = NO_NUMBERS;

  Series(BatchColumn writes) {
    this.writes = writes;
  }

  /** Keeps the present state as the one before a part. */
  void begin(long part) {
    long[] present = writes.column().numbers();
    before = ensureSize(before, present.length);
    System.arraycopy(present, 0, before, 0, present.length);
    beforePart = part;
  }

  private long[] before() {
    return beforePart == writes.part() ? before : writes.column().numbers();
  }

  /** The numbers of a node, which has one; at least as many as there are places. */
  long[] at(int node) {
    if (node >= ofNode.length) {
      int known = ofNode.length;
      int length = Math.max(node + 1, writes.column().kinds().length);
      ofNode = Arrays.copyOf(ofNode, length);
      Arrays.fill(ofNode, known, length, NO_NUMBERS);
      ofNodePart = Arrays.copyOf(ofNodePart, length);
      Arrays.fill(ofNodePart, known, length, -1);
    }
    if (ofNodePart[node] != writes.part()) {
      ofNodePart[node] = writes.part();
      long[] series = ensureSize(ofNode[node], writes.placeCount());
      ofNode[node] = series;
      long first = before()[node];
      follow(node, first, writes.nodes(), writes.numbers(), writes.from(), writes.to(), series);
      spread(series, first);
    }
    return ofNode[node];
  }

  private static void follow(
      int node, long first, int[] nodes, long[] written, int from, int to, long[] series) {
    long present = first;
    for (int i = from; i < to; i++) {
      present = nodes[i] == node ? written[i] : present;
      series[i - from] = present;
    }
  }

  /** The smallest number at each place; there must be one. */
  long[] mins() {
    findExtremes();
    return mins;
  }

  /** The largest number at each place; there must be one. */
  long[] maxs() {
    findExtremes();
    return maxs;
  }

  private void findExtremes() {
    if (extremesPart == writes.part()) {
      return;
    }
    extremesPart = writes.part();
    mins = ensureSize(mins, writes.placeCount());
    maxs = ensureSize(maxs, writes.placeCount());
    byte[] kinds = writes.column().kinds();
    long[] first = before();
    if (kinds.length <= FEW_NODES) {
      extremesOfFew(
          kinds, first, writes.nodes(), writes.numbers(), writes.from(), writes.to(), mins, maxs);
    } else {
      now = ensureSize(now, first.length);
      System.arraycopy(first, 0, now, 0, first.length);
      extremes(
          kinds, now, writes.nodes(), writes.numbers(), writes.from(), writes.to(), mins, maxs);
    }
    spread(mins, min(kinds, first));
    spread(maxs, max(kinds, first));
  }

  /* Without a branch that depends on numbers: of a few nodes, a write often takes an extreme. */
  private static void extremesOfFew(
      byte[] kinds,
      long[] first,
      int[] nodes,
      long[] written,
      int from,
      int to,
      long[] mins,
      long[] maxs) {
    long[] low = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
    long[] high = {Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE};
    for (int node = 0; node < kinds.length; node++) {
      low[node] = kinds[node] == PACKED ? first[node] : low[node];
      high[node] = kinds[node] == PACKED ? first[node] : high[node];
    }
    for (int i = from; i < to; i++) {
      low[nodes[i]] = written[i];
      high[nodes[i]] = written[i];
      mins[i - from] = Math.min(Math.min(low[0], low[1]), Math.min(low[2], low[3]));
      maxs[i - from] = Math.max(Math.max(high[0], high[1]), Math.max(high[2], high[3]));
    }
  }

  /* The extremes are searched again only after the last node that has one got another number. */
  private static void extremes(
      byte[] kinds,
      long[] now,
      int[] nodes,
      long[] written,
      int from,
      int to,
      long[] mins,
      long[] maxs) {
    long min = min(kinds, now);
    long max = max(kinds, now);
    int minCount = count(kinds, now, min);
    int maxCount = count(kinds, now, max);
    for (int i = from; i < to; i++) {
      long gone = now[nodes[i]];
      long number = written[i];
      now[nodes[i]] = number;
      minCount -= gone == min ? 1 : 0;
      maxCount -= gone == max ? 1 : 0;
      if (number <= min) {
        minCount = number < min ? 1 : minCount + 1;
        min = number;
      }
      if (number >= max) {
        maxCount = number > max ? 1 : maxCount + 1;
        max = number;
      }
      if (minCount == 0) {
        min = min(kinds, now);
        minCount = count(kinds, now, min);
      }
      if (maxCount == 0) {
        max = max(kinds, now);
        maxCount = count(kinds, now, max);
      }
      mins[i - from] = min;
      maxs[i - from] = max;
    }
  }

  private static long min(byte[] kinds, long[] now) {
    long min = Long.MAX_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      min = kinds[node] == PACKED ? Math.min(min, now[node]) : min;
    }
    return min;
  }

  private static long max(byte[] kinds, long[] now) {
    long max = Long.MIN_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      max = kinds[node] == PACKED ? Math.max(max, now[node]) : max;
    }
    return max;
  }

  private static int count(byte[] kinds, long[] now, long number) {
    int count = 0;
    for (int node = 0; node < kinds.length; node++) {
      count += kinds[node] == PACKED && now[node] == number ? 1 : 0;
    }
    return count;
  }

  /** Copies the numbers of the nodes that have one, before the part or at present. */
  void copyOfNodes(boolean areBefore, long[] into) {
    byte[] kinds = writes.column().kinds();
    long[] all = areBefore ? before() : writes.column().numbers();
    int count = 0;
    for (int node = 0; node < kinds.length; node++) {
      if (kinds[node] == PACKED) {
        into[count++] = all[node];
      }
    }
  }

  /** Counts at how many nodes a test is TRUE at each place, see {@link BatchColumn#count}. */
  void count(byte[] ofNodes, byte[] ofWrites, long[] counts) {
    byte[] kinds = writes.column().kinds();
    byte[] held = new byte[kinds.length];
    int nodeCount = 0;
    long first = 0;
    for (int node = 0; node < kinds.length; node++) {
      if (kinds[node] == PACKED) {
        held[node] = isTrue(ofNodes[nodeCount++]);
        first += held[node];
      }
    }
    count(writes.nodes(), writes.from(), writes.to(), held, ofWrites, first, counts);
    spread(counts, first);
  }

  private static byte isTrue(byte truth) {
    return (byte) (truth >> 2);
  }

  private static void count(
      int[] nodes, int from, int to, byte[] held, byte[] truths, long first, long[] counts) {
    long count = first;
    for (int i = from; i < to; i++) {
      byte holds = isTrue(truths[i - from]);
      count += holds - held[nodes[i]];
      held[nodes[i]] = holds;
      counts[i - from] = count;
    }
  }

  /** Moves numbers from the indexes of the writes to their places, and fills the others. */
  private void spread(long[] series, long first) {
    int count = writes.to() - writes.from();
    int end = writes.placeCount();
    if (count == end) {
      return;
    }
    for (int i = count - 1; i >= 0; i--) {
      int place = writes.placeOf(writes.from() + i);
      Arrays.fill(series, place, end, series[i]);
      end = place;
    }
    Arrays.fill(series, 0, end, first);
  }

  private static long[] ensureSize(long[] series, int needed) {
    return series.length >= needed ? series : new long[Math.max(needed, 2 * series.length)];
  }
}
