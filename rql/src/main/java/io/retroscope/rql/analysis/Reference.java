// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression.DeclarationKind;

/** The meaning of a name in an expression. */
public sealed interface Reference {
  /** Calls the visitor's method for this kind of reference. */
  <R> R accept(Visitor<R> visitor);

  /** An operation on references, with a method for every kind. */
  interface Visitor<R> {
    R variable(Variable reference);

    R eachVariable(EachVariable reference);

    R bound(Bound reference);

    R declared(Declared reference);

    R rowColumn(RowColumn reference);
  }

  /**
   * A column of the inner query's rows.
   *
   * @param slot its index in {@link AnalyzedOuterQuery#input}
   */
  record RowColumn(String name, int slot) implements Reference {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.rowColumn(this);
    }
  }

  /** A variable of a log: a per-node collection of its values. */
  record Variable(String log, String name) implements Reference {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.variable(this);
    }
  }

  /** The variable of FOR EACH VARIABLE, which is also a per-node collection. */
  record EachVariable(String log) implements Reference {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.eachVariable(this);
    }
  }

  /**
   * A name that a quantifier binds.
   *
   * @param slot from 0, different for all names that are bound at once, less than {@link
   *     AnalyzedQuery#boundSlots}
   */
  record Bound(String name, int slot) implements Reference {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.bound(this);
    }
  }

  /**
   * A name that COMPUTE declares.
   *
   * @param slot its index in {@link AnalyzedQuery#declarations}
   */
  record Declared(String name, DeclarationKind kind, int slot) implements Reference {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.declared(this);
    }
  }
}
