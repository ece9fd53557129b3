package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;

/** Anything in the tree: it knows its place in the query's text. */
public interface Node {
  /** Where it stands in the text. */
  SourceRange range();
}
