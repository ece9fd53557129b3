// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.Set;
import java.util.TreeSet;

/**
 * An operator or function applied to the values of its operands. Its errors name the place in the
 * query and the node.
 */
public final class NaryOperation implements Evaluator {
  private final SourceRange range;
  private final Application application;
  private final Evaluator[] operands;

  /** The function of any number of values. */
  interface Application {
    Value apply(Value[] values);
  }

  /** The function of one value. */
  public interface One {
    Value apply(Value value);
  }

  NaryOperation(SourceRange range, Application application, Evaluator... operands) {
    this.range = range;
    this.application = application;
    this.operands = operands;
  }

  public static Evaluator one(SourceRange range, One application, Evaluator operand) {
    return new NaryOperation(range, values -> application.apply(values[0]), operand);
  }

  @Override
  public Value value(Frame frame) {
    Value[] values = new Value[operands.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = operands[i].value(frame);
      frame.work().addFor(values[i]);
    }
    try {
      return application.apply(values);
    } catch (EvaluationException e) {
      throw locate(e, range, frame, operands);
    }
  }

  @Override
  public int source(Frame frame) {
    return commonSource(frame, operands);
  }

  /** Adds the place of an operator and the nodes of its operands to an error. */
  static EvaluationException locate(
      EvaluationException e, SourceRange range, Frame frame, Evaluator... operands) {
    Set<String> nodes = new TreeSet<>(NaturalOrder.INSTANCE);
    for (Evaluator operand : operands) {
      nodes.addAll(ElementSource.nodeName(operand.source(frame), frame));
    }
    return e.at(range).of(nodes);
  }

  /**
   * Returns the only node that the operands' values come from; {@link NodeTable#NONE} if they come
   * from several.
   */
  static int commonSource(Frame frame, Evaluator... operands) {
    int common = NodeTable.NONE;
    for (Evaluator operand : operands) {
      int source = operand.source(frame);
      if (source != NodeTable.NONE && common != NodeTable.NONE && source != common) {
        return NodeTable.NONE;
      }
      common = source == NodeTable.NONE ? common : source;
    }
    return common;
  }
}
