package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.cut.VariableColumn;
import org.jspecify.annotations.Nullable;

/**
 * A quantifier that asks for extremes: {@code EXISTS a, b IN r : (a - b >= 2)} is {@code MAX(r) -
 * MIN(r) >= 2}.
 */
final class Extremes implements Evaluator {
  /*
   * Over a variable whose values are all LONGs, a, b and a - b take every value between extremes
   * that are themselves taken, so that < <= > >= hold for some binding exactly if they hold for one
   * extreme, and for all bindings exactly if they hold for the other. Nothing can fail or be NULL
   * then, unless MAX - MIN overflows. In every other case the plain quantifier answers, so that the
   * answer, NULLs and errors included, is always the same.
   */
  private final VariableSource source;
  private final boolean difference;
  private final BinaryOperator operator;
  private final Evaluator bound;
  private final boolean exists;
  private final Evaluator plain;

  private interface VariableSource {
    @Nullable VariableColumn column(Frame frame);
  }

  private Extremes(
      VariableSource source,
      boolean difference,
      BinaryOperator operator,
      Evaluator bound,
      boolean exists,
      Evaluator plain) {
    this.source = source;
    this.difference = difference;
    this.operator = operator;
    this.bound = bound;
    this.exists = exists;
    this.plain = plain;
  }

  /** The fast form of a quantifier where it has one, otherwise the plain one itself. */
  static Evaluator of(
      Expression.Quantified quantified,
      Translator translator,
      ElementSource source,
      Evaluator plain) {
    boolean exists = quantified.quantifier() == Quantifier.EXISTS;
    if ((!exists && quantified.quantifier() != Quantifier.FORALL)
        || !(quantified.body() instanceof Expression.Binary body)
        || !isOrder(body.operator())) {
      return plain;
    }
    Names names = new Names(translator, quantified);
    boolean leftIsClosed = names.isClosed(body.left());
    if (leftIsClosed == names.isClosed(body.right())) {
      return plain;
    }
    Expression asked = leftIsClosed ? body.right() : body.left();
    Expression bound = leftIsClosed ? body.left() : body.right();
    BinaryOperator operator = leftIsClosed ? mirrored(body.operator()) : body.operator();
    boolean difference = names.isDifference(asked);
    if (!difference && !names.isBound(asked)) {
      return plain;
    }
    return new Extremes(source::column, difference, operator, translator.one(bound), exists, plain);
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
    return bound.value(frame) instanceof LongValue limit
        ? Value.of(holds(low, high, limit.value()))
        : plain.value(frame);
  }

  private boolean holds(long low, long high, long limit) {
    boolean upwards =
        operator == BinaryOperator.GREATER || operator == BinaryOperator.GREATER_OR_EQUAL;
    long decisive = upwards == exists ? high : low;
    return Comparison.holds(operator, Long.compare(decisive, limit));
  }

  private static boolean isOrder(BinaryOperator operator) {
    return switch (operator) {
      case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> true;
      default -> false;
    };
  }

  private static BinaryOperator mirrored(BinaryOperator operator) {
    return switch (operator) {
      case LESS -> BinaryOperator.GREATER;
      case LESS_OR_EQUAL -> BinaryOperator.GREATER_OR_EQUAL;
      case GREATER -> BinaryOperator.LESS;
      case GREATER_OR_EQUAL -> BinaryOperator.LESS_OR_EQUAL;
      default -> throw new AssertionError("no order: " + operator);
    };
  }

  /** The names that a quantifier binds, as its body uses them. */
  private record Names(Translator translator, Expression.Quantified quantified) {
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
          && isBound(binary.left())
          && isBound(binary.right())
          && !translator
              .resolution()
              .of(binary.left())
              .equals(translator.resolution().of(binary.right()));
    }

    /** A constant, a slot of an outer name or declared one: it cannot fail and costs nothing. */
    private boolean isClosed(Expression expression) {
      return expression instanceof Expression.Literal
          || (expression instanceof Expression.Name
              && !isBound(expression)
              && !translator.resolution().isCollection(expression));
    }
  }
}
