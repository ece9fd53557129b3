// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.function.Consumer;

/** The value of a per-node collection at one node, or NULL if it has no value there. */
sealed interface NodeAccess extends Evaluator {
  PerNodeEvaluator variable();

  @Override
  default Value value(Frame frame) {
    int node = source(frame);
    Value value = node == NodeTable.NONE ? null : variable().values(frame).at(node);
    return value == null ? NullValue.NULL : value;
  }

  /** The form {@code v@zk2}. */
  record Fixed(PerNodeEvaluator variable, String node) implements NodeAccess {
    @Override
    public int source(Frame frame) {
      return frame.state().nodes().find(node);
    }
  }

  /**
   * The form {@code v@n} with a bound name, or {@code v@(expression)}.
   *
   * @param check throws for a node that the query leaves out
   */
  record Computed(
      PerNodeEvaluator variable, Evaluator node, SourceRange range, Consumer<String> check)
      implements NodeAccess {
    @Override
    public int source(Frame frame) {
      Value name = node.value(frame);
      if (Types.isNull(name)) {
        return NodeTable.NONE;
      }
      try {
        String text = nodeName(name);
        check.accept(text);
        return frame.state().nodes().find(text);
      } catch (EvaluationException e) {
        throw e.at(range);
      }
    }

    /** Returns a node's name, which may be written as a number. */
    private static String nodeName(Value name) {
      if (name instanceof StringValue || name instanceof LongValue) {
        return Conversions.text(name);
      }
      throw Types.wrong("a node is named by a STRING, not by " + Types.described(name));
    }
  }
}
