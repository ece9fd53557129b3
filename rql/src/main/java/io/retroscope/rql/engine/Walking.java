// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.engine.slice.SliceThreads;
import io.retroscope.rql.engine.statement.RunningQueries;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.function.UnaryOperator;

/**
 * How an engine walks for all its statements. Immutable.
 *
 * @param rules changes the quiet rules of queries; none may change a row
 * @param helpers the threads that may walk slices
 * @param running the statements in progress
 * @param assumesComplete whether verdicts take silent nodes and missing blocks to hold nothing
 */
record Walking(
    UnaryOperator<QuietRule> rules,
    SliceThreads helpers,
    RunningQueries running,
    boolean assumesComplete) {
  static Walking of(QueryLimits limits) {
    return new Walking(
        UnaryOperator.identity(),
        new SliceThreads(limits.walkThreads()),
        new RunningQueries(),
        false);
  }

  Walking assumingComplete() {
    return new Walking(rules, helpers, running, true);
  }
}
