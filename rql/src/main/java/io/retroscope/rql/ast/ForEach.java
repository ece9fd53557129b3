// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;
import java.util.Optional;

/** The clause FOR EACH, which evaluates the query once for each of something. */
public sealed interface ForEach extends Node {
  /** The name that the query uses for the present one. */
  Identifier name();

  /** The expression whose elements it is; empty if it is not an element of an expression. */
  Optional<Expression> collection();

  /** The clause {@code FOR EACH VARIABLE v LIKE 'p'}. */
  record OfVariable(Identifier name, Optional<String> like, SourceRange range) implements ForEach {
    @Override
    public Optional<Expression> collection() {
      return Optional.empty();
    }
  }

  /** The clause {@code FOR EACH NODE n}. */
  record OfNode(Identifier name, Expression.Nodes nodes, SourceRange range) implements ForEach {
    @Override
    public Optional<Expression> collection() {
      return Optional.of(nodes);
    }
  }

  /** The clause {@code FOR EACH VALUE x IN e}. */
  record OfValue(Identifier name, Expression values, SourceRange range) implements ForEach {
    @Override
    public Optional<Expression> collection() {
      return Optional.of(values);
    }
  }
}
