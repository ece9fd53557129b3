// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The intervals in which clocks stepped, per node: evidence that comes from one or crosses one does
 * not count. A bounded number is remembered, the newest ones. Not thread-safe.
 */
final class StepGaps {
  /** The number of gaps kept per node, for evidence that arrives later. */
  private static final int MAX_GAPS = 64;

  private final List<ArrayDeque<Gap>> ofNode = new ArrayList<>();
  private final ArrayDeque<Gap> all = new ArrayDeque<>();
  private final ArrayDeque<Gap> unseen = new ArrayDeque<>();

  /** The interval in which a clock stepped: after the first instant and not after the last. */
  record Gap(double fromMicros, double toMicros) {
    private boolean contains(double instantMicros) {
      return fromMicros < instantMicros && instantMicros <= toMicros;
    }

    boolean meets(double startMicros, double endMicros) {
      return startMicros <= toMicros && endMicros > fromMicros;
    }
  }

  /** Extends the list to this many nodes; it never shrinks. */
  void grow(int nodes) {
    while (ofNode.size() < nodes) {
      ofNode.add(new ArrayDeque<>(1));
    }
  }

  /** Notes that a node's clock stepped, or may have. */
  void add(int node, Gap gap) {
    append(gap, ofNode.get(node), MAX_GAPS);
    if (!gap.equals(all.peekLast())) {
      append(gap, all, StepDetector.MAX_STEPS);
      append(gap, unseen, StepDetector.MAX_STEPS);
    }
  }

  /** Removes a gap of a node that did not step. */
  void remove(int node, Gap gap) {
    ofNode.get(node).remove(gap);
  }

  /**
   * Whether a node's clock stepped, or may have, after one of its instants and not after another.
   */
  boolean meet(int node, double fromMicros, double toMicros) {
    return node < ofNode.size()
        && ofNode.get(node).stream().anyMatch(gap -> gap.meets(fromMicros, toMicros));
  }

  private static void append(Gap gap, ArrayDeque<Gap> gaps, int most) {
    gaps.addLast(gap);
    if (gaps.size() > most) {
      gaps.removeFirst();
    }
  }

  /** A node's gaps, in the order of their discovery. */
  Iterable<Gap> of(int node) {
    return ofNode.get(node);
  }

  /** All nodes' gaps, in the order of their discovery. */
  Iterable<Gap> ofAll() {
    return all;
  }

  /** Whether a clock may have stepped between the instants of a message and its evidence. */
  boolean isInDoubt(int sender, int receiver, double sentMicros, double receivedMicros) {
    for (Gap gap : ofNode.get(sender)) {
      if (gap.meets(sentMicros, receivedMicros)) {
        return true;
      }
    }
    for (Gap gap : ofNode.get(receiver)) {
      if (gap.contains(receivedMicros)) {
        return true;
      }
    }
    return false;
  }

  /** Whether any clock may have stepped in or near an interval. */
  boolean meet(double fromMicros, double toMicros) {
    return all.stream().anyMatch(gap -> gap.meets(fromMicros, toMicros));
  }

  /** A gap that was found since the last call, null if there is none. */
  @Nullable Gap next() {
    return unseen.pollFirst();
  }
}
