// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.Binary;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.OperatorKind;
import io.retroscope.rql.ast.Expression.Quantified;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.ast.Expression.Unary;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The parts of the condition of a rule that must be TRUE somewhere, or the rule says nothing. */
final class RuleCondition {
  /** Names that are no variables: those of FOR EACH, of COMPUTE and of quantifiers. */
  private final Set<String> bound;

  /** A condition of a query. */
  RuleCondition(Query walk) {
    this(new HashSet<>());
    walk.forEach()
        .filter(each -> !(each instanceof ForEach.OfVariable))
        .ifPresent(each -> bound.add(each.name().text()));
    walk.compute()
        .ifPresent(
            compute ->
                compute
                    .all(Expression.Declaration.class)
                    .forEach(declared -> bound.add(declared.name().text())));
  }

  private RuleCondition(Set<String> bound) {
    this.bound = bound;
  }

  /** The literal TRUE. */
  static Expression truth(SourceRange range) {
    return new Expression.Literal(Value.of(true), range);
  }

  /** The predicate that is TRUE wherever an expression can be; empty if that needs no values. */
  Optional<Expression> namesHaveValues(Expression e) {
    return all(valued(e));
  }

  /**
   * The predicates, each about the values of a name, that are TRUE wherever an expression can be.
   */
  List<Expression> valued(Expression e) {
    return e.accept(new Valued(false));
  }

  private static Optional<Expression> all(List<Expression> conjuncts) {
    Map<String, Expression> different = new LinkedHashMap<>();
    conjuncts.forEach(part -> different.putIfAbsent(RqlFormatter.format(part), part));
    return different.values().stream()
        .reduce((left, right) -> new Binary(BinaryOperator.AND, left, right, left.range()));
  }

  /**
   * The operands of AND in a predicate, each within the quantifiers around it, those before another
   * one together, and what a COUNT of several counts. A predicate without AND has none: to be never
   * TRUE is what it claims.
   */
  List<Expression> operands(Expression predicate) {
    Operands operands = new Operands();
    operands.split(predicate, false, part -> part);
    List<Expression> parts = new ArrayList<>();
    if (operands.conjuncts.size() > 1) {
      parts.addAll(operands.conjuncts);
    }
    parts.addAll(operands.together);
    return parts;
  }

  /** The conditions of {@code c ? (a) : (b)} in COMPUTE. */
  List<Expression> branches(Expression compute) {
    Operands operands = new Operands();
    addBranches(compute, part -> part, operands);
    return operands.conjuncts;
  }

  private static void addBranches(
      Expression e, Function<Expression, Expression> scope, Operands operands) {
    if (e instanceof Expression.Conditional conditional) {
      operands.split(conditional.condition(), false, scope);
    }
    Function<Expression, Expression> inner =
        e instanceof Quantified quantified
            ? part -> scope.apply(within(Quantifier.EXISTS, quantified, part))
            : scope;
    e.children().forEach(child -> addBranches(child, inner, operands));
  }

  private static Quantified within(Quantifier quantifier, Quantified around, Expression body) {
    return new Quantified(
        quantifier, around.variables(), around.collection(), body, around.range());
  }

  /** The operands that were found. Used by one thread. */
  private static final class Operands {
    private final List<Expression> conjuncts = new ArrayList<>();
    private final List<Expression> together = new ArrayList<>();

    /** Splits an expression, or its negation, at each AND. */
    void split(Expression e, boolean isNegated, Function<Expression, Expression> scope) {
      if (e instanceof Unary not && not.operator() == Expression.UnaryOperator.NOT) {
        split(not.operand(), !isNegated, scope);
      } else if (e instanceof Binary both
          && both.operator() == (isNegated ? BinaryOperator.OR : BinaryOperator.AND)) {
        int before = conjuncts.size();
        split(both.left(), isNegated, scope);
        if (conjuncts.size() > before + 1) {
          together.add(scope.apply(isNegated ? not(both.left()) : both.left()));
        }
        split(both.right(), isNegated, scope);
      } else if (e instanceof Quantified quantified && isPredicate(quantified)) {
        boolean isExists = (quantified.quantifier() == Quantifier.EXISTS) != isNegated;
        Quantifier quantifier = isExists ? Quantifier.EXISTS : Quantifier.FORALL;
        split(
            quantified.body(),
            isNegated,
            part -> scope.apply(within(quantifier, quantified, part)));
      } else if (!isNegated && e instanceof Binary compared && leastCount(compared) > 0) {
        splitCount(compared, scope);
      } else if (!saysHasValue(e, isNegated) && !(isNegated && isChange(e))) {
        conjuncts.add(scope.apply(isNegated ? not(e) : e));
      }
    }

    /** Whether it only says that a name has a value, which is counted for all names. */
    private static boolean saysHasValue(Expression e, boolean isNegated) {
      if (e instanceof Expression.IsNull isNull) {
        return isNull.negated() != isNegated;
      }
      return !isNegated
          && e instanceof Binary compared
          && compared.left() instanceof Expression.Call call
          && call.function().text().equalsIgnoreCase("COUNT")
          && leastNumber(compared) == 1;
    }

    /** Whether it is TRUE at all cuts of its own, which are those that it is counted at. */
    private static boolean isChange(Expression e) {
      return e instanceof Expression.Call call
          && RqlFunction.named(call.function().text()).orElse(null)
              == RqlFunction.OfVariable.CHANGED;
    }

    private static boolean isPredicate(Quantified quantified) {
      return quantified.quantifier() == Quantifier.EXISTS
          || quantified.quantifier() == Quantifier.FORALL;
    }

    private void splitCount(Binary compared, Function<Expression, Expression> scope) {
      Quantified count = (Quantified) compared.left();
      Function<Expression, Expression> some =
          part -> scope.apply(within(Quantifier.EXISTS, count, part));
      if (leastCount(compared) == 1) {
        split(count.body(), false, some);
        return;
      }
      conjuncts.add(scope.apply(compared));
      Operands body = new Operands();
      body.split(count.body(), false, some);
      together.addAll(body.conjuncts);
      together.addAll(body.together);
      together.add(some.apply(count.body()));
    }

    /** The least number that a comparison of COUNT with a constant demands; 0 for others. */
    private static long leastCount(Binary compared) {
      return compared.left() instanceof Quantified quantified
              && quantified.quantifier() == Quantifier.COUNT
          ? leastNumber(compared)
          : 0;
    }

    /** The least whole number that a comparison with a constant demands; 0 for others. */
    private static long leastNumber(Binary compared) {
      if (!(compared.right() instanceof Expression.Literal literal)
          || !(literal.value() instanceof LongValue bound)) {
        return 0;
      }
      BinaryOperator operator = compared.operator();
      if (!operator.isComparison() || operator.holds(-1)) {
        return 0;
      }
      return operator.holds(0) ? bound.value() : bound.value() + 1;
    }

    private static Expression not(Expression e) {
      return new Unary(Expression.UnaryOperator.NOT, e, e.range());
    }
  }

  /**
   * The names below an expression that need values for it, or its negation, to be TRUE; as
   * predicates that are TRUE where they have some.
   */
  private final class Valued implements Expression.Visitor<List<Expression>> {
    private final boolean isNegated;

    Valued(boolean isNegated) {
      this.isNegated = isNegated;
    }

    private List<Expression> below(Expression e) {
      List<Expression> found = new ArrayList<>();
      e.children().forEach(child -> found.addAll(child.accept(this)));
      return found;
    }

    private List<Expression> atLeast(long count, Expression collection) {
      if (isBound(collection)) {
        return List.of();
      }
      SourceRange range = collection.range();
      Expression counted =
          new Expression.Call(
              new Identifier("COUNT", false, range), false, List.of(collection), range);
      Expression least = new Expression.Literal(Value.of(count), range);
      return List.of(new Binary(BinaryOperator.GREATER_OR_EQUAL, counted, least, range));
    }

    /** Whether an expression has no name of a variable. */
    private boolean isBound(Expression e) {
      return e.all(Expression.Name.class).stream()
          .allMatch(name -> bound.contains(name.identifier().text()));
    }

    @Override
    public List<Expression> literal(Expression.Literal e) {
      return List.of();
    }

    @Override
    public List<Expression> name(Expression.Name e) {
      return atLeast(1, e);
    }

    @Override
    public List<Expression> field(Expression.Field e) {
      return atLeast(1, e);
    }

    @Override
    public List<Expression> atNode(Expression.AtNode e) {
      return isBound(e.variable()) ? List.of() : List.of(new Expression.IsNull(e, true, e.range()));
    }

    @Override
    public List<Expression> nodes(Expression.Nodes e) {
      return List.of();
    }

    @Override
    public List<Expression> unary(Unary e) {
      return e.operator() == Expression.UnaryOperator.NOT
          ? e.operand().accept(new Valued(!isNegated))
          : below(e);
    }

    @Override
    public List<Expression> binary(Binary e) {
      if (e.operator().kind() != OperatorKind.JUNCTION) {
        return compared(e);
      }
      return isNegated == (e.operator() == BinaryOperator.AND)
          ? either(e.left().accept(this), e.right().accept(this))
          : below(e);
    }

    private List<Expression> either(List<Expression> some, List<Expression> others) {
      Optional<Expression> left = all(some);
      Optional<Expression> right = all(others);
      if (left.isEmpty() || right.isEmpty()) {
        return List.of();
      }
      boolean isSame = RqlFormatter.format(left.get()).equals(RqlFormatter.format(right.get()));
      return List.of(
          isSame
              ? left.get()
              : new Binary(BinaryOperator.OR, left.get(), right.get(), left.get().range()));
    }

    private List<Expression> compared(Binary e) {
      Counted left = new Counted(e.operator(), isNegated, e.right());
      Counted right = new Counted(e.operator().mirrored(), isNegated, e.left());
      List<Expression> found = new ArrayList<>(operand(e.left(), left));
      found.addAll(operand(e.right(), right));
      return found;
    }

    /** The names of an operand; a count of nothing is a number as well. */
    private List<Expression> operand(Expression e, Counted counted) {
      Valued values = new Valued(false);
      if (e instanceof Quantified quantified && quantified.quantifier() == Quantifier.COUNT) {
        return counted.canBe(0) ? List.of() : values.some(quantified);
      }
      if (e instanceof Expression.Call call && Counted.isCount(call)) {
        boolean isOfSeveral = call.distinct() && !counted.canBe(1);
        return counted.canBe(0) ? List.of() : atLeast(isOfSeveral ? 2 : 1, call.arguments().get(0));
      }
      return e.accept(values);
    }

    @Override
    public List<Expression> isNull(Expression.IsNull e) {
      return e.negated() != isNegated ? e.operand().accept(new Valued(false)) : List.of();
    }

    @Override
    public List<Expression> conditional(Expression.Conditional e) {
      return decided(e.condition());
    }

    /** The names that need values for a predicate to be TRUE or FALSE. */
    private List<Expression> decided(Expression predicate) {
      return either(predicate.accept(new Valued(false)), predicate.accept(new Valued(true)));
    }

    @Override
    public List<Expression> quantified(Quantified e) {
      return e.quantifier() == Quantifier.COUNT ? List.of() : some(e);
    }

    /** The names of the collection, and those for which the body can be TRUE of an element. */
    private List<Expression> some(Quantified e) {
      Set<String> inner = new HashSet<>(bound);
      e.variables().forEach(variable -> inner.add(variable.text()));
      List<Expression> found = new ArrayList<>(e.collection().accept(this));
      all(e.body().accept(new RuleCondition(inner).new Valued(isNegated)))
          .ifPresent(body -> found.add(within(Quantifier.EXISTS, e, body)));
      return found;
    }

    @Override
    public List<Expression> call(Expression.Call e) {
      Optional<RqlFunction> function = RqlFunction.named(e.function().text());
      if (Counted.isCount(e) || (isNegated && Operands.isChange(e))) {
        return List.of();
      }
      if (function.orElse(null) instanceof RqlFunction.Aggregate aggregate
          && !e.arguments().isEmpty()) {
        // One value has no spread, and does not differ from itself.
        boolean isOfSeveral = aggregate == RqlFunction.Aggregate.SPREAD || e.distinct();
        return atLeast(isOfSeveral ? 2 : 1, e.arguments().get(0));
      }
      if (function.orElse(null) instanceof RqlFunction.Choice choice) {
        return choice == RqlFunction.Choice.IF ? decided(e.arguments().get(0)) : List.of();
      }
      return function.orElse(null) instanceof RqlFunction.OfVariable && !e.arguments().isEmpty()
          ? atLeast(1, e.arguments().get(0))
          : below(e);
    }

    @Override
    public List<Expression> setLiteral(Expression.SetLiteral e) {
      return below(e);
    }

    @Override
    public List<Expression> assignment(Expression.Assignment e) {
      return e.value().accept(new Valued(false));
    }

    @Override
    public List<Expression> declaration(Expression.Declaration e) {
      return List.of();
    }
  }

  /**
   * What a count is compared with.
   *
   * @param operator with the count at its left
   */
  private record Counted(BinaryOperator operator, boolean isNegated, Expression other) {
    /** The operators whose results are not negative if their operands are not. */
    private static final Set<BinaryOperator> KEEP_NOT_NEGATIVE =
        EnumSet.of(BinaryOperator.ADD, BinaryOperator.MULTIPLY, BinaryOperator.DIVIDE);

    static boolean isCount(Expression.Call call) {
      return call.function().text().equalsIgnoreCase("COUNT") && !call.arguments().isEmpty();
    }

    /** Whether the comparison, or its negation, can be TRUE of a count. */
    boolean canBe(long count) {
      if (other instanceof Expression.Literal literal
          && literal.value() instanceof LongValue bound) {
        return isNegated != isTrue(Long.compare(count, bound.value()));
      }
      boolean isMore =
          operator == (isNegated ? BinaryOperator.LESS_OR_EQUAL : BinaryOperator.GREATER);
      return count > 0 || !isMore || !isNotNegative(other);
    }

    private boolean isTrue(int order) {
      return operator.isComparison() ? operator.holds(order) : !isNegated;
    }

    private static boolean isNotNegative(Expression e) {
      if (e instanceof Binary binary) {
        return KEEP_NOT_NEGATIVE.contains(binary.operator())
            && isNotNegative(binary.left())
            && isNotNegative(binary.right());
      }
      return e instanceof Expression.Call call
          ? isCount(call)
          : e instanceof Quantified quantified
              ? quantified.quantifier() == Quantifier.COUNT
              : e instanceof Expression.Literal literal
                  && literal.value() instanceof LongValue bound
                  && bound.value() >= 0;
    }
  }
}
