// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;

/** A reference to a node after {@code @} or in AT NODES. */
public sealed interface NodeReference extends Node {
  /** The expressions directly below this one. */
  List<Expression> children();

  /** Calls the visitor's method for this kind of reference. */
  <R> R accept(Visitor<R> visitor);

  /** An operation on references to nodes, with one method for each kind. */
  interface Visitor<R> {
    R named(Named named);

    R computed(Computed computed);
  }

  /** A node by name: an identifier, a quoted identifier, a number or a bound variable. */
  record Named(Identifier name, SourceRange range) implements NodeReference {
    @Override
    public List<Expression> children() {
      return List.of();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.named(this);
    }
  }

  /** A node whose name is computed: {@code @(expression)}. */
  record Computed(Expression expression, SourceRange range) implements NodeReference {
    @Override
    public List<Expression> children() {
      return List.of(expression);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.computed(this);
    }
  }
}
