package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression.DeclarationKind;

/** What a name in an expression stands for. */
public sealed interface Reference {
  /** A variable of a log: its value at every node, a per-node collection. */
  record Variable(String log, String name) implements Reference {}

  /** The variable of FOR EACH VARIABLE: a per-node collection, too. */
  record EachVariable(String log) implements Reference {}

  /**
   * A name that a quantifier binds.
   *
   * @param slot from 0, different for all names that are bound at once, below {@link
   *     AnalyzedQuery#boundSlots}
   */
  record Bound(String name, int slot) implements Reference {}

  /**
   * A name that COMPUTE declares.
   *
   * @param slot its index in {@link AnalyzedQuery#declarations}
   */
  record Declared(String name, DeclarationKind kind, int slot) implements Reference {}
}
