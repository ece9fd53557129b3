package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;

/**
 * What the names in a statement's expressions stand for. Looks expressions up by identity: the same
 * text in two places may mean two things. Never changes once the analyzer has handed it out.
 */
public final class Resolution {
  private final IdentityHashMap<Expression, Reference> references = new IdentityHashMap<>();
  private final IdentityHashMap<Expression.Quantified, Integer> firstSlots =
      new IdentityHashMap<>();
  private final Set<Expression> collections = Collections.newSetFromMap(new IdentityHashMap<>());

  Resolution() {}

  /**
   * What a {@code Name} stands for, what an {@code Assignment} assigns to, what a {@code
   * Declaration} declares.
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

  /** The variable, where the expression is {@code log.variable}; empty where it is a field. */
  public Optional<Reference.Variable> variable(Expression.Field field) {
    return Optional.ofNullable((Reference.Variable) references.get(field));
  }

  /**
   * The bound name that an expression itself refers to: a {@code Name}, or an {@code AtNode} with
   * such a name after its {@code @}.
   */
  public Optional<Reference.Bound> bound(Expression expression) {
    return references.get(expression) instanceof Reference.Bound bound
        ? Optional.of(bound)
        : Optional.empty();
  }

  /** The slot of the first name that a quantifier binds; the others follow in their order. */
  public int firstSlot(Expression.Quantified quantified) {
    Integer slot = firstSlots.get(quantified);
    if (slot == null) {
      throw new IllegalArgumentException("not an analyzed quantifier: " + quantified);
    }
    return slot;
  }

  /**
   * Whether the expression is a per-node collection: a bare variable, a field of one, or what Prev
   * and Age make of one. Where a set is wanted, its distinct values are meant.
   */
  public boolean isCollection(Expression expression) {
    return collections.contains(expression);
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
