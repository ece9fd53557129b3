// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.RowCells;
import io.retroscope.rql.cut.state.NodeTable;

/** An expression that is ready to be evaluated at every cut. */
public interface Evaluator {
  /**
   * Returns the value in the frame's cut.
   *
   * @throws EvaluationException if it has none
   */
  Value value(Frame frame);

  /**
   * Adds the value as a cell, without an object if it can.
   *
   * @throws EvaluationException if it has none; the cells then are incomplete
   */
  default void fill(Frame frame, RowCells cells) {
    cells.add(value(frame));
  }

  /**
   * Returns the node that the value comes from, or {@link NodeTable#NONE}. Called only for errors.
   */
  default int source(Frame frame) {
    return NodeTable.NONE;
  }
}
