// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import java.util.List;
import java.util.Optional;

/**
 * A visitor that finds how an expression changes as time passes while nothing is written.
 *
 * <p>Age, WriteAge and Silence are the ages here. One may be applied at a node, inside an
 * aggregate, or to a collection whose elements a quantifier binds. A constant may be added or
 * subtracted, the age may be multiplied or divided by a constant, and Long or Double may convert
 * it. Each of these expressions only rises or only falls as time passes.
 */
final class AgeOperand implements Expression.Visitor<AgeOperand.Movement> {
  private static final Movement CONSTANT = new Movement(true, Optional.empty());
  private static final Movement OTHER = new Movement(false, Optional.empty());

  private final Resolution resolution;
  private final List<Expression.Quantified> around;

  /**
   * The way in which an expression changes.
   *
   * @param isConstant whether the text alone decides its value
   * @param age the call of an age that the expression rises or falls with; empty if there is none
   */
  record Movement(boolean isConstant, Optional<Expression.Call> age) {
    private static Movement with(Optional<Expression.Call> age) {
      return age.isPresent() ? new Movement(false, age) : OTHER;
    }
  }

  /**
   * Creates a visitor of an operand.
   *
   * @param around the quantifiers around the operand, outermost first
   */
  AgeOperand(Resolution resolution, List<Expression.Quantified> around) {
    this.resolution = resolution;
    this.around = around;
  }

  /** Returns the expression itself if it is a call of Age, WriteAge or Silence. */
  static Optional<Expression.Call> callOfAge(Expression e) {
    return e instanceof Expression.Call call
            && FunctionTranslator.function(call) instanceof RqlFunction.PerNode function
            && function.isAge()
        ? Optional.of(call)
        : Optional.empty();
  }

  Movement of(Expression e) {
    return e.accept(this);
  }

  private boolean allConstant(List<Expression> expressions) {
    return expressions.stream().allMatch(e -> of(e).isConstant());
  }

  @Override
  public Movement literal(Expression.Literal e) {
    return CONSTANT;
  }

  @Override
  public Movement name(Expression.Name e) {
    return Movement.with(binder(e).flatMap(binder -> callOfAge(binder.collection())));
  }

  /** Returns the quantifier that binds a name. */
  private Optional<Expression.Quantified> binder(Expression.Name name) {
    return resolution
        .bound(name)
        .flatMap(bound -> around.stream().filter(e -> binds(e, bound)).findFirst());
  }

  private boolean binds(Expression.Quantified quantified, Reference.Bound bound) {
    int index = bound.slot() - resolution.firstSlot(quantified);
    return index >= 0 && index < quantified.variables().size();
  }

  @Override
  public Movement field(Expression.Field e) {
    return OTHER;
  }

  @Override
  public Movement atNode(Expression.AtNode e) {
    return Movement.with(callOfAge(e.variable()));
  }

  @Override
  public Movement nodes(Expression.Nodes e) {
    return OTHER;
  }

  @Override
  public Movement unary(Expression.Unary e) {
    Movement operand = of(e.operand());
    if (operand.isConstant()) {
      return CONSTANT;
    }
    return switch (e.operator()) {
      case NEGATE -> operand;
      case NOT -> OTHER;
    };
  }

  @Override
  public Movement binary(Expression.Binary e) {
    Movement left = of(e.left());
    Movement right = of(e.right());
    if (left.isConstant() && right.isConstant()) {
      return CONSTANT;
    }
    return switch (e.operator().kind()) {
      case SUM -> ofOne(left, right);
      case PRODUCT -> ofProduct(e.operator(), left, right);
      case JUNCTION, EQUALITY, ORDER, MEMBERSHIP, INCLUSION, LIKENESS, CONTAINMENT, SETS, RANGE ->
          OTHER;
    };
  }

  /** The movement of the only operand that is not constant. */
  private static Movement ofOne(Movement left, Movement right) {
    return left.isConstant() ? right : right.isConstant() ? left : OTHER;
  }

  private static Movement ofProduct(BinaryOperator operator, Movement left, Movement right) {
    if (operator == BinaryOperator.MULTIPLY) {
      return ofOne(left, right);
    }
    return operator == BinaryOperator.DIVIDE && right.isConstant() ? left : OTHER;
  }

  @Override
  public Movement isNull(Expression.IsNull e) {
    return OTHER;
  }

  @Override
  public Movement conditional(Expression.Conditional e) {
    return OTHER;
  }

  @Override
  public Movement quantified(Expression.Quantified e) {
    return OTHER;
  }

  @Override
  public Movement call(Expression.Call e) {
    return e.arguments().size() == 1
        ? FunctionTranslator.function(e).accept(new OfOneArgument(e.arguments().get(0)))
        : OTHER;
  }

  @Override
  public Movement setLiteral(Expression.SetLiteral e) {
    return allConstant(e.elements()) ? CONSTANT : OTHER;
  }

  @Override
  public Movement assignment(Expression.Assignment e) {
    return OTHER;
  }

  @Override
  public Movement declaration(Expression.Declaration e) {
    return OTHER;
  }

  /** A visitor for functions of one argument. */
  private final class OfOneArgument implements RqlFunction.Visitor<Movement> {
    private final Expression argument;

    OfOneArgument(Expression argument) {
      this.argument = argument;
    }

    @Override
    public Movement scalar(RqlFunction.Scalar function) {
      return function.followsAges() ? Movement.with(of(argument).age()) : OTHER;
    }

    @Override
    public Movement aggregate(RqlFunction.Aggregate function) {
      return function.followsAges() ? Movement.with(callOfAge(argument)) : OTHER;
    }

    @Override
    public Movement choice(RqlFunction.Choice function) {
      return OTHER;
    }

    @Override
    public Movement perNode(RqlFunction.PerNode function) {
      return OTHER;
    }

    @Override
    public Movement ofVariable(RqlFunction.OfVariable function) {
      return OTHER;
    }

    @Override
    public Movement ofElement(RqlFunction.OfElement function) {
      return OTHER;
    }

    @Override
    public Movement ofCut(RqlFunction.OfCut function) {
      return OTHER;
    }

    @Override
    public Movement ofRows(RqlFunction.OfRows function) {
      return OTHER;
    }
  }
}
