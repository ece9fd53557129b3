// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.diagnostic.SourceRange;

/**
 * AND and OR in three-valued logic. They are evaluated from left to right and stop at an operand
 * that decides the result.
 */
final class Junction implements Evaluator {
  private final boolean conjunction;
  private final boolean stopsAtNull;
  private final Operand left;
  private final Operand right;

  /** An operand and its place for errors. */
  record Operand(Evaluator evaluator, SourceRange range) {}

  private Junction(boolean conjunction, boolean stopsAtNull, Operand left, Operand right) {
    this.conjunction = conjunction;
    this.stopsAtNull = stopsAtNull;
    this.left = left;
    this.right = right;
  }

  static Evaluator and(Operand left, Operand right) {
    return new Junction(true, false, left, right);
  }

  /** AND in COMPUTE: a sequence that stops at the first operand that is not TRUE. */
  static Evaluator sequence(Operand left, Operand right) {
    return new Junction(true, true, left, right);
  }

  static Evaluator or(Operand left, Operand right) {
    return new Junction(false, false, left, right);
  }

  @Override
  public Value value(Frame frame) {
    Value a = truth(left, frame);
    if (decides(a)) {
      return a;
    }
    Value b = truth(right, frame);
    if (decides(b)) {
      return b;
    }
    return Types.isNull(a) || Types.isNull(b) ? NullValue.NULL : Value.of(conjunction);
  }

  private boolean decides(Value truth) {
    return Types.isNull(truth) ? stopsAtNull : ((BooleanValue) truth).value() != conjunction;
  }

  private Value truth(Operand operand, Frame frame) {
    Value value = operand.evaluator().value(frame);
    if (value instanceof BooleanValue) {
      return value;
    }
    try {
      return Types.truth(value, conjunction ? "AND" : "OR");
    } catch (EvaluationException e) {
      throw NaryOperation.locate(e, operand.range(), frame, operand.evaluator());
    }
  }
}
