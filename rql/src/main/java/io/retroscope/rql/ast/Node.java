// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;

/** A node of the syntax tree, with its place in the query's text. */
public interface Node {
  /** The place in the text. */
  SourceRange range();
}
