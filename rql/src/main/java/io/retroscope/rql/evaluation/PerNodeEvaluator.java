// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.PerNode;
import java.util.ArrayList;
import java.util.List;

/**
 * An expression that has a value at every node: a bare variable, or an expression derived from one.
 */
interface PerNodeEvaluator {
  /** Returns the values in the frame's cut; they are valid until the cut changes. */
  PerNode values(Frame frame);

  /**
   * Returns a field of the struct at every node. Its errors name the place in the query and the
   * node.
   */
  default PerNodeEvaluator field(Expression.Field field) {
    String name = field.field().text();
    return frame -> {
      PerNode structs = values(frame);
      return node -> {
        Value struct = structs.at(node);
        try {
          return struct == null ? null : Types.field(struct, name);
        } catch (EvaluationException e) {
          throw e.at(field.range()).of(ElementSource.nodeName(node, frame));
        }
      };
    };
  }

  /** Returns the set of distinct values. */
  default Evaluator asSet() {
    return frame -> {
      Elements elements = new Elements();
      elements.addAll(values(frame), frame.state().nodes());
      return elements.toSet();
    };
  }

  /** Returns a struct with one field per node, as it is printed. */
  default Evaluator asStruct() {
    return new NodeStruct(this);
  }

  /** Returns the names of the nodes that have a value. */
  default Evaluator asNodeNames() {
    return frame -> {
      PerNode values = values(frame);
      NodeTable nodes = frame.state().nodes();
      List<Value> names = new ArrayList<>();
      for (int node = 0; node < nodes.size(); node++) {
        if (values.at(node) != null) {
          names.add(Value.of(nodes.name(node)));
        }
      }
      return new SetValue(names);
    };
  }
}
