// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Arrays;

/** The counts that the rules of queries keep of the LONGs of one variable. Used by one thread. */
final class NodeCounts {
  private NodeCount[] counts = {};

  void add(NodeCount count) {
    counts = Arrays.copyOf(counts, counts.length + 1);
    counts[counts.length - 1] = count;
  }

  /** Counts again after one value has been replaced by another. */
  void replace(boolean wasLong, long gone, boolean isLong, long number) {
    for (NodeCount count : counts) {
      count.replace(wasLong, gone, isLong, number);
    }
  }

  /** Counts again after any number of LONGs have been replaced by others. */
  void find(byte[] kinds, long[] numbers) {
    for (NodeCount count : counts) {
      count.find(kinds, numbers);
    }
  }

  /** Expects writes, until {@link #endStretch}; all LONGs are in the reach then. */
  void expect(LongReach reach, long[] written, int from, int to) {
    for (NodeCount count : counts) {
      if (!count.isSame(reach.low(), reach.high())) {
        for (int i = from; i < to; i++) {
          count.expect(written[i]);
        }
      }
    }
  }

  /** Expects any writes of some nodes within bounds, until {@link #endStretch}. */
  void expectAny(long lowest, long highest, int nodes) {
    for (NodeCount count : counts) {
      count.expectAny(count.isSame(lowest, highest) ? 0 : nodes);
    }
  }

  void endStretch() {
    for (NodeCount count : counts) {
      count.endStretch();
    }
  }
}
