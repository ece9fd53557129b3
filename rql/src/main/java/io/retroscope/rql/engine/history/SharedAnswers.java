// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.history;

import io.retroscope.rql.diagnostic.RqlException;
import java.util.List;
import java.util.Optional;

/**
 * How several statements ended that ran together. Immutable.
 *
 * @param failures the error of each statement, in their order; empty for one that did not fail
 * @param cost the blocks and events read, and how long it took, in the words of EXPLAIN ANALYZE
 */
public record SharedAnswers(List<Optional<RqlException>> failures, List<String> cost) {
  /** Copies the lists. */
  public SharedAnswers {
    failures = List.copyOf(failures);
    cost = List.copyOf(cost);
  }
}
