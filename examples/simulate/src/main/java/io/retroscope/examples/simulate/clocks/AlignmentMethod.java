// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import io.retroscope.server.align.OffsetFrame;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToDoubleBiFunction;

/** The methods of finding offsets that the experiment compares; all use the same estimator. */
public enum AlignmentMethod {
  /** From stamps alone, the published method. */
  ONE_HLC("one_hlc"),
  /** From messages without a known minimum delay: the middle of each node's interval. */
  TWO_D0("two_d0"),
  /** The same evidence, on the one timeline that is published for all nodes. */
  TWO_D0_LS("two_d0_LS"),
  /** From messages with a known minimum delay: the middle of each node's interval. */
  TWO_DMIN("two_dmin");

  private final String column;

  AlignmentMethod(String column) {
    this.column = column;
  }

  /** The name of the method in tables. */
  public String column() {
    return column;
  }

  /** Whether it yields intervals that are closed on both sides. */
  public boolean isTwoSided() {
    return this != ONE_HLC;
  }

  /** The results of all methods at this point of a run. */
  static Map<AlignmentMethod, Guess> guesses(RigidRun run) {
    OffsetFrame anyDelay = run.anyDelay().offsets(0, run.lastTick());
    OffsetFrame knownDelay = run.knownDelay().offsets(0, run.lastTick());
    Map<AlignmentMethod, Guess> guesses = new EnumMap<>(AlignmentMethod.class);
    int nodes = run.model().nodes();
    guesses.put(ONE_HLC, stamps(run));
    guesses.put(TWO_D0, messages(nodes, anyDelay, OffsetFrame::middle));
    guesses.put(TWO_D0_LS, messages(nodes, anyDelay, OffsetFrame::timeline));
    guesses.put(TWO_DMIN, messages(nodes, knownDelay, OffsetFrame::middle));
    return guesses;
  }

  private static Guess stamps(RigidRun run) {
    Guess guess = new Guess(run.model().nodes());
    for (int i = 0; i < guess.nodes(); i++) {
      double least = run.anyDelay().leastOffset(i, run.lastTick());
      guess.set(i, Math.max(0, least), least, Double.POSITIVE_INFINITY);
    }
    return guess;
  }

  private static Guess messages(
      int nodes, OffsetFrame frame, ToDoubleBiFunction<OffsetFrame, Integer> point) {
    Guess guess = new Guess(nodes);
    for (int i = 0; i < guess.nodes(); i++) {
      double offset =
          frame.isBounded(i) ? point.applyAsDouble(frame, i) : Math.max(0, frame.low(i));
      guess.set(i, offset, frame.low(i), frame.high(i));
    }
    return guess;
  }
}
