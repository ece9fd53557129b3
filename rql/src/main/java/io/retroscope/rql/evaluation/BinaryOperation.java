// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.rql.diagnostic.SourceRange;

/** An operator applied to two values. Its errors name the place in the query and the node. */
final class BinaryOperation implements Evaluator {
  private final SourceRange range;
  private final Application application;
  private final Evaluator left;
  private final Evaluator right;

  /** The function of the operator. */
  interface Application {
    Value apply(Value left, Value right);
  }

  BinaryOperation(SourceRange range, Application application, Evaluator left, Evaluator right) {
    this.range = range;
    this.application = application;
    this.left = left;
    this.right = right;
  }

  @Override
  public Value value(Frame frame) {
    Value a = left.value(frame);
    Value b = right.value(frame);
    frame.work().addFor(a);
    frame.work().addFor(b);
    try {
      return application.apply(a, b);
    } catch (EvaluationException e) {
      throw NaryOperation.locate(e, range, frame, left, right);
    }
  }

  @Override
  public int source(Frame frame) {
    return NaryOperation.commonSource(frame, left, right);
  }
}
