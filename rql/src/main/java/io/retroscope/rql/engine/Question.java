package io.retroscope.rql.engine;

import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.evaluation.Frame;
import org.jspecify.annotations.Nullable;

/** A query as it is evaluated at cuts: once, or once per variable with FOR EACH VARIABLE. */
final class Question {
  private final @Nullable VariableColumn variable;
  private final Frame frame;
  private final Run run;
  private boolean awaited;

  /**
   * Creates a question that has not been evaluated.
   *
   * @param variable the variable of FOR EACH VARIABLE, null in other queries
   */
  Question(@Nullable VariableColumn variable, Frame frame, Run run) {
    this.variable = variable;
    this.frame = frame;
    this.run = run;
  }

  /** The name that orders its rows within one cut. */
  String name() {
    return variable == null ? "" : variable.name();
  }

  Frame frame() {
    return frame;
  }

  Run run() {
    return run;
  }

  /**
   * Whether its run has a scheduled deadline. At most one is scheduled, even if several runs begin
   * and end.
   */
  boolean isAwaited() {
    return awaited;
  }

  void setAwaited(boolean awaited) {
    this.awaited = awaited;
  }
}
