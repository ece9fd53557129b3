// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.OperatorKind;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A quantifier that depends only on extremes: {@code EXISTS a, b IN r : (a - b >= 2)} is {@code
 * MAX(r) - MIN(r) >= 2}, and {@code FORALL a, b IN r : (a = b)} is {@code MAX(r) = MIN(r)}.
 */
public final class Extremes implements Evaluator {
  /*
   * If all values of the variable are LONGs, the extremes of a, b and a - b are themselves values
   * of some binding. A comparison with < <= > >= therefore holds for some binding exactly if it
   * holds for one extreme, and for all bindings exactly if it holds for the other. A comparison of
   * a with b is one of a - b with 0. Because a and b range over the same values, some pair is
   * unequal exactly if some a is greater than some b, and all are equal exactly if no a is. Nothing
   * can fail or be NULL then, unless MAX - MIN overflows. In every other case the plain quantifier
   * is evaluated, so that the result, including NULLs and errors, is always the same.
   */
  private static final Value ZERO = Value.of(0);

  private final VariableSource source;
  private final boolean difference;
  private final BinaryOperator operator;
  private final Evaluator bound;
  private final boolean exists;
  private final Evaluator plain;
  private final @Nullable Value constant;

  private interface VariableSource {
    @Nullable VariableColumn column(Frame frame);
  }

  private Extremes(
      VariableSource source,
      boolean difference,
      BinaryOperator operator,
      Evaluator bound,
      boolean exists,
      Evaluator plain,
      @Nullable Value constant) {
    this.source = source;
    this.difference = difference;
    this.operator = operator;
    this.bound = bound;
    this.exists = exists;
    this.plain = plain;
    this.constant = constant;
  }

  /** Returns the fast form of a quantifier if it has one, otherwise the plain quantifier. */
  static Evaluator of(
      Expression.Quantified quantified,
      Translator translator,
      ElementSource source,
      Evaluator plain) {
    boolean exists = quantified.quantifier() == Quantifier.EXISTS;
    if ((!exists && quantified.quantifier() != Quantifier.FORALL)
        || !(quantified.body() instanceof Expression.Binary body)) {
      return plain;
    }
    Names names = new Names(translator, quantified);
    if (!names.rangeOverAVariable()) {
      return plain;
    }
    if (names.areTwo(body.left(), body.right())) {
      Optional<BinaryOperator> order = orderOfPairs(body.operator(), exists);
      return order.isEmpty()
          ? plain
          : new Extremes(source::column, true, order.get(), frame -> ZERO, exists, plain, ZERO);
    }
    boolean leftIsClosed = names.isClosed(body.left());
    if (body.operator().kind() != OperatorKind.ORDER
        || leftIsClosed == names.isClosed(body.right())) {
      return plain;
    }
    Expression compared = leftIsClosed ? body.right() : body.left();
    Expression bound = leftIsClosed ? body.left() : body.right();
    BinaryOperator operator = leftIsClosed ? body.operator().mirrored() : body.operator();
    boolean difference = names.isDifference(compared);
    if (!difference && !names.isBound(compared)) {
      return plain;
    }
    Value constant = bound instanceof Expression.Literal literal ? literal.value() : null;
    return new Extremes(
        source::column, difference, operator, translator.one(bound), exists, plain, constant);
  }

  /**
   * Returns the equivalent comparison of the difference of two names with 0; empty if it depends on
   * more than extremes.
   */
  private static Optional<BinaryOperator> orderOfPairs(BinaryOperator operator, boolean exists) {
    if (exists && operator == BinaryOperator.NOT_EQUAL) {
      return Optional.of(BinaryOperator.GREATER);
    }
    if (!exists && operator == BinaryOperator.EQUAL) {
      return Optional.of(BinaryOperator.LESS_OR_EQUAL);
    }
    return operator.kind() == OperatorKind.ORDER ? Optional.of(operator) : Optional.empty();
  }

  @Override
  public Value value(Frame frame) {
    VariableColumn column = source.column(frame);
    if (column == null || !column.isAllLong()) {
      return plain.value(frame);
    }
    long low = column.min();
    long high = column.max();
    if (difference) {
      long spread = high - low;
      if (spread < 0) {
        return plain.value(frame);
      }
      low = -spread;
      high = spread;
    }
    Value limit = bound.value(frame);
    return Arithmetic.isNumber(limit) ? Value.of(holds(low, high, limit)) : plain.value(frame);
  }

  private boolean holds(long low, long high, Value limit) {
    return operator.holds(Value.of(decisive(low, high)).compareTo(limit));
  }

  private long decisive(long low, long high) {
    return highDecides() ? high : low;
  }

  private boolean highDecides() {
    return operator.holds(1) == exists;
  }

  BinaryOperator operator() {
    return operator;
  }

  /** The constant with which the extreme is compared; null if the bound is none. */
  @Nullable Value constant() {
    return constant;
  }

  /** The extreme that decides, as a kernel. */
  Kernel decisive(VariableColumn column) {
    if (!difference) {
      return new Kernel.Extreme(highDecides(), column);
    }
    Kernel spread = Kernel.Applied.spread(column);
    return highDecides() ? spread : Kernel.Applied.negated(spread);
  }

  /** The names that a quantifier binds, as its body uses them. */
  private record Names(Translator translator, Expression.Quantified quantified) {
    private boolean rangeOverAVariable() {
      Expression collection = quantified.collection();
      boolean variable =
          collection instanceof Expression.Name
              || (collection instanceof Expression.Field field
                  && translator.resolution().variable(field).isPresent());
      return variable && translator.resolution().isCollection(collection);
    }

    private boolean isBound(Expression expression) {
      if (!(expression instanceof Expression.Name)
          || !(translator.resolution().of(expression) instanceof Reference.Bound bound)) {
        return false;
      }
      int slot = bound.slot() - translator.resolution().firstSlot(quantified);
      return slot >= 0 && slot < quantified.variables().size();
    }

    private boolean isDifference(Expression expression) {
      return expression instanceof Expression.Binary binary
          && binary.operator() == BinaryOperator.SUBTRACT
          && areTwo(binary.left(), binary.right());
    }

    private boolean areTwo(Expression a, Expression b) {
      return isBound(a)
          && isBound(b)
          && !translator.resolution().of(a).equals(translator.resolution().of(b));
    }

    /**
     * Returns whether an expression is a number, or a name bound or declared outside. Such an
     * expression cannot fail and costs nothing.
     */
    private boolean isClosed(Expression expression) {
      return (expression instanceof Expression.Literal literal
              && Arithmetic.isNumber(literal.value()))
          || (expression instanceof Expression.Name
              && !isBound(expression)
              && !translator.resolution().isCollection(expression));
    }
  }
}
