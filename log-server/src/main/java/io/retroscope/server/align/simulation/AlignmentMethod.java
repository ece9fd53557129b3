package io.retroscope.server.align.simulation;

import io.retroscope.server.align.OffsetFrame;
import io.retroscope.server.align.OffsetModel;
import java.util.function.ToDoubleBiFunction;

/** The ways to find offsets that the experiment compares; all ask the same estimator. */
public enum AlignmentMethod {
  /** From stamps alone, the published one. */
  ONE_HLC("one_hlc"),
  /** From messages that may take no time: the middle of each node's interval. */
  TWO_D0("two_d0"),
  /** The same evidence, on the one timeline that is published for all nodes. */
  TWO_D0_LS("two_d0_LS"),
  /** From messages whose least delay is known: the middle of each node's interval. */
  TWO_DMIN("two_dmin");

  private final String column;

  AlignmentMethod(String column) {
    this.column = column;
  }

  /** What the method is called in tables. */
  public String column() {
    return column;
  }

  /** Whether it gives intervals that are closed on both sides. */
  public boolean isTwoSided() {
    return this != ONE_HLC;
  }

  /** What the method says at this point of a run. */
  Guess guess(RigidRun run) {
    return switch (this) {
      case ONE_HLC -> stamps(run);
      case TWO_D0 -> messages(run, run.anyDelay(), OffsetFrame::middle);
      case TWO_D0_LS -> messages(run, run.anyDelay(), OffsetFrame::timeline);
      case TWO_DMIN -> messages(run, run.knownDelay(), OffsetFrame::middle);
    };
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
      RigidRun run, OffsetModel estimator, ToDoubleBiFunction<OffsetFrame, Integer> point) {
    OffsetFrame frame = estimator.offsets(0, run.lastTick());
    Guess guess = new Guess(run.model().nodes());
    for (int i = 0; i < guess.nodes(); i++) {
      double offset =
          frame.isBounded(i) ? point.applyAsDouble(frame, i) : Math.max(0, frame.low(i));
      guess.set(i, offset, frame.low(i), frame.high(i));
    }
    return guess;
  }
}
