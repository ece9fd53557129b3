// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.engine.slice.HastyHelpers;
import io.retroscope.rql.engine.slice.SliceThreads;
import java.util.Random;
import java.util.function.UnaryOperator;

/** Access to the quiet rules of an engine, for tests of other packages. */
public final class EngineRules {
  private static final SliceThreads SHARED = new HastyHelpers(3, 1);

  private EngineRules() {}

  /** Returns an engine over the same source that evaluates WHEN at every cut. */
  public static QueryEngine off(QueryEngine engine) {
    return with(engine, rule -> () -> QuietRule.UNKNOWN);
  }

  /** Returns an engine over the same source in which no zone answers for a block. */
  public static QueryEngine withoutZones(QueryEngine engine) {
    return with(
        engine,
        rule ->
            new QuietRule() {
              @Override
              public int truths() {
                return rule.truths();
              }

              @Override
              public int truthsOverBlock() {
                return UNKNOWN;
              }

              @Override
              public void evaluate(CutBatch batch, byte[] to) {
                rule.evaluate(batch, to);
              }
            });
  }

  /** Returns an engine over the same source with other rules. */
  public static QueryEngine with(QueryEngine engine, UnaryOperator<QuietRule> rules) {
    return engine.with(
        walking ->
            new Walking(rules, walking.helpers(), walking.running(), walking.assumesComplete()));
  }

  /** Returns an engine over the same source whose queries are walked by one thread. */
  public static QueryEngine inOneSlice(QueryEngine engine) {
    return by(engine, new SliceThreads(1));
  }

  /** Returns an engine over the same source whose queries are walked by a few shared threads. */
  public static QueryEngine inSlices(QueryEngine engine) {
    return by(engine, SHARED);
  }

  /** Returns an engine over the same source whose queries are walked by several threads. */
  public static QueryEngine inSlices(QueryEngine engine, Random random) {
    return by(engine, new HastyHelpers(2 + random.nextInt(3), random.nextInt(3)));
  }

  /** Returns an engine over the same source whose queries are walked by other threads. */
  public static QueryEngine by(QueryEngine engine, SliceThreads helpers) {
    return engine.with(
        walking ->
            new Walking(walking.rules(), helpers, walking.running(), walking.assumesComplete()));
  }
}
