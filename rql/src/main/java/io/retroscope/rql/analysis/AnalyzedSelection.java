// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Statement;
import java.util.List;

/**
 * An analyzed query, over logs or over the rows of another query, an analyzed verdict or detection.
 */
public sealed interface AnalyzedSelection
    permits AnalyzedQuery, AnalyzedOuterQuery, AnalyzedVerdict, AnalyzedDetection {
  /** The query as parsed. */
  Statement.Selection query();

  /** The columns of its rows, in their order. */
  List<OutputColumn> columns();

  /** The query that walks cuts: this one, or that in the innermost parentheses. */
  AnalyzedQuery walk();
}
