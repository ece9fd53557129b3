// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The meanings of the names in a statement's expressions. Expressions are looked up by identity,
 * because the same text in two places may have two meanings. Does not change after the analysis.
 */
public final class Resolution {
  private final IdentityHashMap<Expression, Reference> references = new IdentityHashMap<>();
  private final IdentityHashMap<Expression.Quantified, Integer> firstSlots =
      new IdentityHashMap<>();
  private final IdentityHashMap<Expression, Integer> perGroup = new IdentityHashMap<>();
  private final Set<Expression> collections = Collections.newSetFromMap(new IdentityHashMap<>());

  Resolution() {}

  /**
   * Returns the reference of a {@code Name}, the target of an {@code Assignment}, or the name of a
   * {@code Declaration}.
   *
   * @throws IllegalArgumentException for any other expression
   */
  public Reference of(Expression expression) {
    Reference reference = references.get(expression);
    if (reference == null) {
      throw new IllegalArgumentException("not a resolved name: " + expression);
    }
    return reference;
  }

  /**
   * Returns the variable if the expression is its name, {@code variable} or {@code log.variable};
   * empty for any other expression.
   */
  public Optional<Reference.Variable> variable(Expression expression) {
    return references.get(expression) instanceof Reference.Variable variable
        ? Optional.of(variable)
        : Optional.empty();
  }

  /**
   * Returns the column of an inner query if the expression is its name, {@code x} or {@code t.x}.
   */
  public Optional<Reference.RowColumn> rowColumn(Expression expression) {
    return references.get(expression) instanceof Reference.RowColumn column
        ? Optional.of(column)
        : Optional.empty();
  }

  /**
   * Returns the bound name of an expression: a {@code Name}, or an {@code AtNode} with such a name
   * after its {@code @}.
   */
  public Optional<Reference.Bound> bound(Expression expression) {
    return references.get(expression) instanceof Reference.Bound bound
        ? Optional.of(bound)
        : Optional.empty();
  }

  /** Returns the declared name that an expression is; empty for any other expression. */
  Optional<Reference.Declared> declared(Expression expression) {
    return references.get(expression) instanceof Reference.Declared declared
        ? Optional.of(declared)
        : Optional.empty();
  }

  /** Returns the slot of the first name that a quantifier binds; the others follow in order. */
  public int firstSlot(Expression.Quantified quantified) {
    Integer slot = firstSlots.get(quantified);
    if (slot == null) {
      throw new IllegalArgumentException("not an analyzed quantifier: " + quantified);
    }
    return slot;
  }

  /**
   * Returns whether the expression is a per-node collection: a bare variable, a field of one, or
   * the result of Prev or Age. Used as a set, it yields its distinct values.
   */
  public boolean isCollection(Expression expression) {
    return collections.contains(expression);
  }

  /**
   * Returns the slot of the value that an expression of an outer query has for a whole group of
   * rows: an item of GROUP BY, or an aggregate. Empty for any other expression.
   */
  public OptionalInt perGroup(Expression expression) {
    Integer slot = perGroup.get(expression);
    return slot == null ? OptionalInt.empty() : OptionalInt.of(slot);
  }

  void putPerGroup(Expression expression, int slot) {
    perGroup.put(expression, slot);
  }

  void put(Expression expression, Reference reference) {
    references.put(expression, reference);
  }

  void putFirstSlot(Expression.Quantified quantified, int slot) {
    firstSlots.put(quantified, slot);
  }

  void markCollection(Expression expression) {
    collections.add(expression);
  }
}
