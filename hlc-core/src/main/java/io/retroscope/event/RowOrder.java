// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.List;

/** A sorter of a block's rows by stamp, then by node. Not thread-safe. */
final class RowOrder {
  /*
   * A bottom-up merge sort on indexes. Rows arrive nearly in order, because the threads of a
   * service overtake each other only slightly, and two neighbouring runs that are already in order
   * cost one comparison. The memory is reused for the next block.
   */
  private int[] order = new int[0];
  private int[] merged = new int[0];

  /** The sorted rows, in the first {@code count} entries; valid until the next call. */
  int[] of(BlockColumns columns, int count, List<String> nodes) {
    if (order.length < count) {
      order = new int[count];
      merged = new int[count];
    }
    for (int row = 0; row < count; row++) {
      order[row] = row;
    }
    for (int run = 1; run < count; run *= 2) {
      for (int start = 0; start + run < count; start += 2 * run) {
        merge(columns, nodes, start, start + run, Math.min(start + 2 * run, count));
      }
    }
    return order;
  }

  private void merge(BlockColumns columns, List<String> nodes, int start, int middle, int end) {
    if (compare(columns, nodes, order[middle - 1], order[middle]) <= 0) {
      return;
    }
    int left = start;
    int right = middle;
    for (int at = start; at < end; at++) {
      boolean takesLeft =
          left < middle
              && (right == end || compare(columns, nodes, order[left], order[right]) <= 0);
      merged[at] = takesLeft ? order[left++] : order[right++];
    }
    System.arraycopy(merged, start, order, start, end - start);
  }

  private static int compare(BlockColumns columns, List<String> nodes, int a, int b) {
    int byStamp = Long.compare(columns.hlc[a], columns.hlc[b]);
    return byStamp != 0 || columns.node[a] == columns.node[b]
        ? byStamp
        : nodes.get(columns.node[a]).compareTo(nodes.get(columns.node[b]));
  }
}
