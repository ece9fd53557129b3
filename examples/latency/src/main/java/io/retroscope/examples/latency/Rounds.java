// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.util.Arrays;
import java.util.Optional;

/**
 * The rounds whose answers are awaited: a round begins with a ping to each node, itself included.
 * Thread-safe.
 */
final class Rounds {
  /** Rounds that are awaited; the answers of older ones count for pairs only. */
  private static final int MAX_OPEN_COUNT = 1 << 14;

  private final int nodeCount;
  private final long[] numbers = new long[MAX_OPEN_COUNT];
  private final long[][] answers = new long[MAX_OPEN_COUNT][];
  private final int[] answerCounts = new int[MAX_OPEN_COUNT];
  private final long[] selves = new long[MAX_OPEN_COUNT];

  /**
   * The latencies of a round that all nodes have answered, in microseconds.
   *
   * @param best of the fastest other node
   * @param self of the node itself
   * @param quorum of the answer that completes a majority
   * @param all of the last answer
   */
  record Round(long number, long best, long self, long quorum, long all) {}

  Rounds(int nodeCount) {
    this.nodeCount = nodeCount;
    Arrays.fill(numbers, -1);
  }

  /** Adds an answer; returns the round if it was the last one. */
  synchronized Optional<Round> answered(long number, boolean isSelf, long micros) {
    int slot = (int) (number % MAX_OPEN_COUNT);
    if (numbers[slot] > number) {
      return Optional.empty();
    }
    if (numbers[slot] < number) {
      numbers[slot] = number;
      answers[slot] = new long[nodeCount];
      answerCounts[slot] = 0;
    }
    if (answerCounts[slot] >= nodeCount) {
      return Optional.empty();
    }
    answers[slot][answerCounts[slot]++] = micros;
    if (isSelf) {
      selves[slot] = micros;
    }
    return answerCounts[slot] == nodeCount ? Optional.of(complete(slot)) : Optional.empty();
  }

  private Round complete(int slot) {
    long[] sorted = answers[slot].clone();
    Arrays.sort(sorted);
    long self = selves[slot];
    long best = sorted[0] == self ? sorted[1] : sorted[0];
    int majority = nodeCount / 2 + 1;
    return new Round(numbers[slot], best, self, sorted[majority - 1], sorted[nodeCount - 1]);
  }
}
