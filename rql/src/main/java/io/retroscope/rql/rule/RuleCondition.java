// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.Binary;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.Quantified;
import io.retroscope.rql.ast.Expression.Quantifier;
import io.retroscope.rql.ast.Expression.Unary;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.ArrayList;
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

  /** The predicate that is TRUE where all names of an expression have values; empty without any. */
  Optional<Expression> namesHaveValues(Expression e) {
    return all(valued(e));
  }

  /** The predicates that are TRUE where a name of an expression has a value. */
  List<Expression> valued(Expression e) {
    return e.accept(new Valued());
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

    /** Splits an expression, or its negation, at what is an AND. */
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
      } else if (!saysHasValue(e, isNegated)) {
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
      return switch (compared.operator()) {
        case GREATER -> bound.value() + 1;
        case GREATER_OR_EQUAL, EQUAL -> bound.value();
        default -> 0;
      };
    }

    private static Expression not(Expression e) {
      return new Unary(Expression.UnaryOperator.NOT, e, e.range());
    }
  }

  /** The names below an expression, as predicates that are TRUE where they have values. */
  private final class Valued implements Expression.Visitor<List<Expression>> {
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
      return below(e);
    }

    @Override
    public List<Expression> binary(Binary e) {
      if (e.operator() != BinaryOperator.OR) {
        return below(e);
      }
      Optional<Expression> left = all(e.left().accept(this));
      Optional<Expression> right = all(e.right().accept(this));
      return left.isPresent() && right.isPresent()
          ? List.of(new Binary(BinaryOperator.OR, left.get(), right.get(), e.range()))
          : List.of();
    }

    @Override
    public List<Expression> isNull(Expression.IsNull e) {
      return e.negated() ? e.operand().accept(this) : List.of();
    }

    @Override
    public List<Expression> conditional(Expression.Conditional e) {
      return e.condition().accept(this);
    }

    @Override
    public List<Expression> quantified(Quantified e) {
      Set<String> inner = new HashSet<>(bound);
      e.variables().forEach(variable -> inner.add(variable.text()));
      List<Expression> found = new ArrayList<>(e.collection().accept(this));
      all(new RuleCondition(inner).valued(e.body()))
          .ifPresent(body -> found.add(within(Quantifier.EXISTS, e, body)));
      return found;
    }

    @Override
    public List<Expression> call(Expression.Call e) {
      Optional<RqlFunction> function = RqlFunction.named(e.function().text());
      if (function.orElse(null) instanceof RqlFunction.Aggregate aggregate
          && !e.arguments().isEmpty()) {
        // One value has no spread, and does not differ from itself.
        boolean isOfSeveral = aggregate == RqlFunction.Aggregate.SPREAD || e.distinct();
        return atLeast(isOfSeveral ? 2 : 1, e.arguments().get(0));
      }
      if (function.orElse(null) instanceof RqlFunction.Choice choice) {
        return choice == RqlFunction.Choice.IF ? e.arguments().get(0).accept(this) : List.of();
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
      return e.value().accept(this);
    }

    @Override
    public List<Expression> declaration(Expression.Declaration e) {
      return List.of();
    }
  }
}
