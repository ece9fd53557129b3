// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Response;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The search for the variables of WHEN of which any element may be a trigger, while THEN does not
 * say which one its answer is for.
 */
public final class OpenItems {
  private final AnalyzedQuery query;

  /** The names and collections that a comparison with a constant restricts to one element. */
  private final Set<Expression> closed = Collections.newSetFromMap(new IdentityHashMap<>());

  private OpenItems(AnalyzedQuery query) {
    this.query = query;
  }

  /** Returns the variables; none for a query without THEN. */
  public static Set<Reference.Variable> of(AnalyzedQuery query) {
    Optional<Response> then =
        query.response().filter(clause -> clause.order() == Response.Order.THEN);
    return then.isEmpty() || new OpenItems(query).names(then.get().expected())
        ? Set.of()
        : new OpenItems(query).in(query.query().when().orElseThrow().predicate());
  }

  /** Returns the variables that THEN or AFTER names. */
  public static Set<Reference.Variable> expected(AnalyzedQuery query) {
    Set<Reference.Variable> named = new HashSet<>();
    query
        .response()
        .ifPresent(clause -> addVariables(query, clause.expected(), part -> true, named));
    return named;
  }

  private static void addVariables(
      AnalyzedQuery query,
      Expression e,
      Predicate<Expression> selected,
      Set<Reference.Variable> found) {
    e.thisAndAllBelow().stream()
        .filter(selected)
        .forEach(part -> query.resolution().variable(part).ifPresent(found::add));
  }

  /** Whether an expression names the element of FOR EACH, or what COMPUTE made, maybe of it. */
  private boolean names(Expression expected) {
    Optional<ForEach> forEach = query.query().forEach();
    if (forEach.isEmpty()) {
      return false;
    }
    if (!(forEach.get() instanceof ForEach.OfValue)) {
      return true; // A node or a variable answers for itself.
    }
    String element = forEach.get().name().text();
    return expected.thisAndAllBelow().stream()
        .anyMatch(
            part ->
                query.resolution().declared(part).isPresent()
                    || query
                        .resolution()
                        .bound(part)
                        .filter(bound -> bound.name().equals(element))
                        .isPresent());
  }

  private Set<Reference.Variable> in(Expression predicate) {
    predicate.all(Expression.Binary.class).forEach(this::close);
    predicate.all(Expression.Quantified.class).forEach(this::close);
    Set<Reference.Variable> open = new HashSet<>();
    addVariables(query, predicate, part -> !closed.contains(part), open);
    query
        .query()
        .forEach()
        .flatMap(ForEach::collection)
        .flatMap(query.resolution()::variable)
        .ifPresent(open::add);
    return open;
  }

  private void close(Expression.Binary e) {
    if (e.operator() == BinaryOperator.EQUAL || e.operator() == BinaryOperator.IN) {
      if (isConstant(e.left())) {
        closed.addAll(e.right().thisAndAllBelow());
      }
      if (isConstant(e.right())) {
        closed.addAll(e.left().thisAndAllBelow());
      }
    }
  }

  /** A bound name that is compared with a constant closes its collection. */
  private void close(Expression.Quantified e) {
    int first = query.resolution().firstSlot(e);
    boolean isClosed =
        closed.stream()
            .flatMap(part -> query.resolution().bound(part).stream())
            .anyMatch(bound -> bound.slot() == first);
    if (isClosed && e.variables().size() == 1) {
      closed.addAll(e.collection().thisAndAllBelow());
    }
  }

  private static boolean isConstant(Expression e) {
    return e instanceof Expression.Literal literal && literal.value() != Value.NullValue.NULL;
  }
}
