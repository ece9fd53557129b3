package io.retroscope.rql.engine;

import io.retroscope.rql.cut.QuietRule;
import java.util.function.UnaryOperator;

/** Access to the quiet rules of an engine, for tests of other packages. */
public final class EngineRules {
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
            });
  }

  /** Returns an engine over the same source with other rules. */
  public static QueryEngine with(QueryEngine engine, UnaryOperator<QuietRule> rules) {
    return engine.withRules(rules);
  }
}
