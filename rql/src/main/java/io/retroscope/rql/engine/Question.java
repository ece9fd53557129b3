package io.retroscope.rql.engine;

import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.evaluation.Frame;
import org.jspecify.annotations.Nullable;

/** A query as it is asked of the cuts: once, or with FOR EACH VARIABLE once for each of them. */
final class Question {
  private final @Nullable VariableColumn variable;
  private final Frame frame;
  private final Run run;
  private boolean awaited;

  /**
   * A question that was not asked yet.
   *
   * @param variable what FOR EACH VARIABLE stands for, null in other queries
   */
  Question(@Nullable VariableColumn variable, Frame frame, Run run) {
    this.variable = variable;
    this.frame = frame;
    this.run = run;
  }

  /** What its rows are ordered by within one cut. */
  String name() {
    return variable == null ? "" : variable.name();
  }

  Frame frame() {
    return frame;
  }

  Run run() {
    return run;
  }

  /** Whether its run's deadline is waited for: at most one is, however many runs come and go. */
  boolean isAwaited() {
    return awaited;
  }

  void setAwaited(boolean awaited) {
    this.awaited = awaited;
  }
}
