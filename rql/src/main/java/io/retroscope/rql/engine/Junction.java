package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.diagnostic.SourceRange;

/** AND and OR in three-valued logic, left to right: what decides ends it. */
final class Junction implements Evaluator {
  private final SourceRange range;
  private final boolean conjunction;
  private final boolean stopsAtNull;
  private final Evaluator left;
  private final Evaluator right;

  private Junction(
      SourceRange range,
      boolean conjunction,
      boolean stopsAtNull,
      Evaluator left,
      Evaluator right) {
    this.range = range;
    this.conjunction = conjunction;
    this.stopsAtNull = stopsAtNull;
    this.left = left;
    this.right = right;
  }

  static Evaluator and(SourceRange range, Evaluator left, Evaluator right) {
    return new Junction(range, true, false, left, right);
  }

  /** AND as COMPUTE has it: a sequence that stops at the first that is not TRUE. */
  static Evaluator sequence(SourceRange range, Evaluator left, Evaluator right) {
    return new Junction(range, true, true, left, right);
  }

  static Evaluator or(SourceRange range, Evaluator left, Evaluator right) {
    return new Junction(range, false, false, left, right);
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

  private Value truth(Evaluator operand, Frame frame) {
    Value value = operand.value(frame);
    if (value instanceof BooleanValue) {
      return value;
    }
    try {
      return Types.truth(value, conjunction ? "AND" : "OR");
    } catch (EvaluationException e) {
      throw Operation.locate(e, range, frame, operand);
    }
  }
}
