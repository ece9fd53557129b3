// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.Binary;
import io.retroscope.rql.ast.Expression.UnaryOperator;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.Optional;

/**
 * The checks of operands by their types as far as these are known, and the types of the results.
 */
final class Operands {
  private static final String NUMBER_AS_CONDITION =
      "only TRUE satisfies it; compare the number, as in ... != 0";

  private static final String CONDITION_AS_NUMBER = "If(condition, 1, 0) converts it to a number";
  private static final int MAX_QUOTED_CHARACTERS = 30;

  private final Problems problems;

  Operands(Problems problems) {
    this.problems = problems;
  }

  /** Rejects a per-node collection. */
  boolean oneValue(Expression operand, Type type) {
    if (type != Type.COLLECTION) {
      return true;
    }
    String written = problems.text(operand.range());
    String name = written.length() > MAX_QUOTED_CHARACTERS ? "it" : written;
    problems.add(
        ErrorCode.COLLECTION_AS_VALUE
            .at(operand.range(), name.equals("it") ? "this" : '"' + name + '"')
            .withHelp(
                "use a quantifier, EXISTS %2$s IN %1$s : (%2$s ...), an aggregate such as MAX(%1$s), or a node: %1$s@%3$s"
                    .formatted(name, name.equals("v") ? "w" : "v", problems.someNode())));
    return false;
  }

  void condition(Expression operand, Type type, String taker) {
    check(operand, type, taker, Parameter.CONDITION.words(), type == Type.BOOLEAN);
  }

  void number(Expression operand, Type type, String taker) {
    check(operand, type, taker, Parameter.NUMBER.words(), type.isNumber());
  }

  void wholeNumber(Expression operand, Type type, String taker) {
    boolean fits = type == Type.LONG || type == Type.NUMBER;
    check(operand, type, taker, Parameter.WHOLE_NUMBER.words(), fits);
  }

  /** Accepts a number or a DURATION. */
  boolean quantity(Expression operand, Type type, String taker) {
    boolean fits = type.isNumber() || type == Type.DURATION;
    check(operand, type, taker, Parameter.QUANTITY.words(), fits);
    return fits;
  }

  void time(Expression operand, Type type, String taker) {
    boolean fits = type == Type.TIMESTAMP || type == Type.STRING;
    check(operand, type, taker, Parameter.TIME.words(), fits);
  }

  void duration(Expression operand, Type type, String taker) {
    check(operand, type, taker, Parameter.DURATION.words(), type == Type.DURATION);
  }

  /** Accepts only a constant. */
  void percent(Expression operand, String taker) {
    boolean fits =
        operand instanceof Expression.Literal literal
            && literal.value() instanceof NumberValue
            && literal.value().compareTo(Value.of(0)) >= 0
            && literal.value().compareTo(Value.of(100)) <= 0;
    if (!fits) {
      problems.add(
          ErrorCode.MISMATCH.at(operand.range(), taker, Parameter.PERCENT.words(), "this"));
    }
  }

  void text(Expression operand, Type type, String taker) {
    check(operand, type, taker, Parameter.TEXT.words(), type == Type.STRING);
  }

  /** Accepts a per-node collection or a SET. */
  void elements(Expression operand, Type type, String taker) {
    if (type != Type.COLLECTION && type != Type.SET && !type.isOpen()) {
      problems.add(
          mismatch(operand, taker, Parameter.ELEMENTS.words(), type)
              .withHelp(
                  type == Type.BOOLEAN
                      ? "to count nodes, write COUNT n IN NODES : (r1@n > 3)"
                      : "braces make a set of one value: {...}"));
    }
  }

  private static Diagnostic mismatch(Expression operand, String taker, String taken, Type type) {
    return ErrorCode.MISMATCH.at(operand.range(), taker, taken, type.word());
  }

  private void check(Expression operand, Type type, String taker, String taken, boolean fits) {
    if (oneValue(operand, type) && !fits && !type.isOpen()) {
      Diagnostic problem = mismatch(operand, taker, taken, type);
      problems.add(conversion(taken, type).map(problem::withHelp).orElse(problem));
    }
  }

  /** Returns advice on a conversion to the required type, if there is an obvious one. */
  private static Optional<String> conversion(String taken, Type type) {
    if (taken.equals(Parameter.CONDITION.words()) && type.isNumber()) {
      return Optional.of(NUMBER_AS_CONDITION);
    }
    boolean numeric =
        taken.equals(Parameter.NUMBER.words()) || taken.equals(Parameter.QUANTITY.words());
    if (numeric && type == Type.SET) {
      return Optional.of("use its elements one by one, or an aggregate such as SUM(...)");
    }
    return numeric && type == Type.BOOLEAN ? Optional.of(CONDITION_AS_NUMBER) : Optional.empty();
  }

  Type unary(Expression.Unary e, Type operand) {
    if (e.operator() == UnaryOperator.NOT) {
      condition(e.operand(), operand, "NOT");
      return Type.BOOLEAN;
    }
    return quantity(e.operand(), operand, "-") ? operand : Type.ANY;
  }

  Type binary(Binary e, Type left, Type right) {
    String symbol = e.operator().symbol();
    return switch (e.operator().kind()) {
      case JUNCTION -> {
        condition(e.left(), left, symbol);
        condition(e.right(), right, symbol);
        yield Type.BOOLEAN;
      }
      case EQUALITY -> {
        twoValues(e, left, right);
        yield Type.BOOLEAN;
      }
      case ORDER -> ordered(e, left, right);
      case MEMBERSHIP -> {
        oneValue(e.left(), left);
        elements(e.right(), right, symbol);
        yield Type.BOOLEAN;
      }
      case INCLUSION -> {
        elements(e.left(), left, symbol);
        elements(e.right(), right, symbol);
        yield Type.BOOLEAN;
      }
      case LIKENESS -> {
        text(e.left(), left, symbol);
        text(e.right(), right, symbol);
        yield Type.BOOLEAN;
      }
      case CONTAINMENT -> contains(e, left, right);
      case SETS -> {
        elements(e.left(), left, symbol);
        elements(e.right(), right, symbol);
        yield Type.SET;
      }
      case SUM, PRODUCT -> arithmetic(e, left, right);
      case RANGE -> {
        wholeNumber(e.left(), left, symbol);
        wholeNumber(e.right(), right, symbol);
        yield Type.SET;
      }
    };
  }

  private boolean twoValues(Binary e, Type left, Type right) {
    boolean leftFits = oneValue(e.left(), left);
    boolean rightFits = oneValue(e.right(), right);
    return leftFits && rightFits;
  }

  private Type ordered(Binary e, Type left, Type right) {
    boolean single = twoValues(e, left, right);
    boolean comparable =
        left.isOpen() || right.isOpen() || left == right || (left.isNumber() && right.isNumber());
    if (single && !comparable) {
      problems.add(
          ErrorCode.MISMATCH.at(
              e.range(),
              e.operator().symbol(),
              "two values of one type",
              left.word() + " and " + right.word()));
    }
    return Type.BOOLEAN;
  }

  private Type contains(Binary e, Type left, Type right) {
    oneValue(e.right(), right);
    boolean fits = left == Type.STRING || left == Type.SET;
    check(e.left(), left, "CONTAINS", "a STRING or a SET", fits);
    if (left == Type.STRING) {
      text(e.right(), right, "CONTAINS in a STRING");
    }
    return Type.BOOLEAN;
  }

  private Type arithmetic(Binary e, Type left, Type right) {
    boolean single = twoValues(e, left, right);
    boolean leftFits = !single || computable(e, e.left(), left);
    boolean rightFits = !single || computable(e, e.right(), right);
    if (!single || !leftFits || !rightFits) {
      return Type.FAULTY;
    }
    if (left.isNumber() && right.isNumber()) {
      if (left == Type.DOUBLE || right == Type.DOUBLE) {
        return Type.DOUBLE;
      }
      return left == Type.LONG && right == Type.LONG ? Type.LONG : Type.NUMBER;
    }
    return Type.ANY;
  }

  /**
   * Returns whether arithmetic accepts the type. Numbers, durations and timestamps are possible;
   * their combination is checked at run time.
   */
  private boolean computable(Binary e, Expression operand, Type type) {
    if (type.isOpen() || type.isNumber() || type == Type.DURATION || type == Type.TIMESTAMP) {
      return true;
    }
    String help =
        type == Type.STRING
            ? "texts are joined by Concat(a, b)"
            : type == Type.SET
                ? "sets are joined by UNION, INTERSECT and \\"
                : type == Type.BOOLEAN ? CONDITION_AS_NUMBER : "";
    var problem =
        ErrorCode.MISMATCH.at(operand.range(), e.operator().symbol(), "numbers", type.word());
    problems.add(help.isEmpty() ? problem : problem.withHelp(help));
    return false;
  }
}
