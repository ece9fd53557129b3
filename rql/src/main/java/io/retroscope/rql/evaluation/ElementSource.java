// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.PerNode;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The source of the elements of a quantifier or an aggregate. */
interface ElementSource {
  /**
   * Adds the elements in the frame's cut.
   *
   * @return false if the collection is NULL, so that its elements are not known
   */
  boolean gather(Frame frame, Elements into);

  /** Returns the values of which the elements are one for each node; null if they are not. */
  default @Nullable PerNode values(Frame frame) {
    return null;
  }

  /** Returns the variable if the elements are exactly its values at every node, otherwise null. */
  default @Nullable VariableColumn column(Frame frame) {
    return values(frame) instanceof VariableColumn column ? column : null;
  }

  /** The values at every node. */
  static ElementSource perNode(PerNodeEvaluator evaluator) {
    return new ElementSource() {
      @Override
      public boolean gather(Frame frame, Elements into) {
        into.addAll(evaluator.values(frame), frame.state().nodes());
        return true;
      }

      @Override
      public PerNode values(Frame frame) {
        return evaluator.values(frame);
      }
    };
  }

  /** The elements of a set. */
  static ElementSource ofSet(Evaluator set, String operation) {
    return (frame, into) -> {
      Value value = set.value(frame);
      if (Types.isNull(value)) {
        return false;
      }
      try {
        into.addAll(Comparison.set(value, operation));
      } catch (EvaluationException e) {
        throw e.of(nodeName(set.source(frame), frame));
      }
      return true;
    };
  }

  /** The elements of a set; any other value is a single element. */
  static ElementSource ofSetOrOne(Evaluator argument) {
    return (frame, into) -> {
      Value value = argument.value(frame);
      if (value instanceof SetValue set) {
        into.addAll(set);
      } else {
        into.add(value, argument.source(frame));
      }
      return true;
    };
  }

  /** Returns the name of the node that an element comes from; empty if it has no node. */
  static List<String> nodeName(int node, Frame frame) {
    return node == NodeTable.NONE ? List.of() : List.of(frame.state().nodes().name(node));
  }
}
