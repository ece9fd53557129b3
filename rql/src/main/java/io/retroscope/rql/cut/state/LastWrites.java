// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

/** Those of some writes that remain at the end, and since when they hold. Used by one thread. */
final class LastWrites {
  /*
   * With few nodes, the last two different numbers of each are among the last writes. So the writes
   * are read backwards, and mostly only a few of many. Nodes are bits of a long then. With more
   * nodes, or a number that stays, most writes would be read, each at a higher cost. The memory for
   * it is allocated late, because there may be many variables whose writes are applied one by one.
   */
  private static final int MAX_NODES = 8;

  /** The number of writes that are read backwards at most. */
  private static final int MAX_BACKWARDS = 64;

  private long[] last = {};
  private long[] since = {};

  /**
   * Applies writes, each of which replaces a number.
   *
   * @param kinds of the nodes' values
   * @param now the numbers of the nodes
   * @param changedAt the packed stamps at which they changed last
   */
  void store(
      int[] nodes,
      long[] written,
      long[] stamps,
      int from,
      int to,
      byte[] kinds,
      long[] now,
      long[] changedAt) {
    if (kinds.length > MAX_NODES) {
      forwards(nodes, written, stamps, from, to, now, changedAt);
      return;
    }
    long all = 0;
    for (int node = 0; node < kinds.length; node++) {
      all |= kinds[node] == VariableColumn.PACKED ? 1L << node : 0;
    }
    if (last.length == 0) {
      last = new long[MAX_NODES];
      since = new long[MAX_NODES];
    }
    long open = all;
    long seen = 0;
    long[] numbers = last;
    long[] starts = since;
    int end = to; // of the writes that are not read backwards
    for (int least = Math.max(from, to - MAX_BACKWARDS); end > least && open != 0; end--) {
      int i = end - 1;
      int node = nodes[i];
      long bit = 1L << node;
      if ((open & bit) == 0) {
        continue;
      }
      if ((seen & bit) == 0) {
        seen |= bit;
        numbers[node] = written[i];
        starts[node] = stamps[i];
      } else if (written[i] == numbers[node]) {
        starts[node] = stamps[i];
      } else {
        open ^= bit;
      }
    }
    if (open != 0) {
      forwards(nodes, written, stamps, from, end, now, changedAt);
    }
    settle(seen, open, now, changedAt);
  }

  /** Sets the numbers of nodes; those that are open changed only if they differ from before. */
  private void settle(long seen, long open, long[] now, long[] changedAt) {
    for (long rest = seen; rest != 0; rest &= rest - 1) {
      int node = Long.numberOfTrailingZeros(rest);
      if ((open & (1L << node)) == 0 || now[node] != last[node]) {
        changedAt[node] = since[node];
      }
      now[node] = last[node];
    }
  }

  private static void forwards(
      int[] nodes, long[] written, long[] stamps, int from, int to, long[] now, long[] changedAt) {
    for (int i = from; i < to; i++) {
      int node = nodes[i];
      if (now[node] != written[i]) {
        now[node] = written[i];
        changedAt[node] = stamps[i];
      }
    }
  }
}
