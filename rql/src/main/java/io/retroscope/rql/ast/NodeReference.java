package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;

/** A reference to a node after {@code @} or in AT NODES. */
public sealed interface NodeReference extends Node {
  /** A node by name: an identifier, a quoted identifier, a number or a bound variable. */
  record Named(Identifier name, SourceRange range) implements NodeReference {}

  /** A node whose name is computed: {@code @(expression)}. */
  record Computed(Expression expression, SourceRange range) implements NodeReference {}
}
