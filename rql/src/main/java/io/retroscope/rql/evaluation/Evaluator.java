package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.NodeTable;

/** An expression made ready to be asked at every cut. */
public interface Evaluator {
  /**
   * Its value in the frame's cut.
   *
   * @throws EvaluationException if it has none
   */
  Value value(Frame frame);

  /** The node that its value comes from, or {@link NodeTable#NONE}; asked for errors only. */
  default int source(Frame frame) {
    return NodeTable.NONE;
  }
}
