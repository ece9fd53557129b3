// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.batch.QuietRule.Limit;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rule that is quiet if several others are. Used by one thread.
 *
 * <p>Of rules that compare the same number with different constants, only the one that is quiet
 * least often is evaluated.
 */
public final class JointRule implements QuietRule {
  private QuietRule[] rules = new QuietRule[4];
  private @Nullable Limit[] limits = new Limit[4];
  private int size;
  private long revision;

  /** Removes all rules. */
  public void clear() {
    Arrays.fill(rules, null);
    Arrays.fill(limits, null);
    size = 0;
    revision++;
  }

  /**
   * Adds a rule.
   *
   * @param limit that of the rule
   */
  public void add(QuietRule rule, @Nullable Limit limit) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      Limit other = limits[i];
      if (other != null && limit != null && other.implies(limit)) {
        return;
      }
      if (other == null || limit == null || !limit.implies(other)) {
        rules[kept] = rules[i];
        limits[kept++] = other;
      }
    }
    if (kept == rules.length) {
      rules = Arrays.copyOf(rules, 2 * kept);
      limits = Arrays.copyOf(limits, 2 * kept);
    }
    rules[kept] = rule;
    limits[kept] = limit;
    size = kept + 1;
  }

  @Override
  public int truths() {
    for (int i = 0; i < size; i++) {
      if (!rules[i].isQuiet()) {
        putFirst(i);
        return UNKNOWN;
      }
    }
    return FALSE;
  }

  @Override
  public int truthsOverBlock() {
    for (int i = 0; i < size; i++) {
      if (!rules[i].isQuietOverBlock()) {
        putFirst(i);
        return UNKNOWN;
      }
    }
    return FALSE;
  }

  @Override
  public void evaluate(CutBatch batch, byte[] to) {
    Arrays.fill(to, 0, batch.size(), (byte) FALSE);
    for (int i = 0; i < size; i++) {
      byte[] truths = batch.truths(rules[i]);
      for (int place = 0; place < batch.size(); place++) {
        to[place] = (byte) Math.max(to[place], truths[place]);
      }
    }
  }

  @Override
  public long revision() {
    return revision;
  }

  /** A rule that was not quiet is probably the next one that is not. */
  private void putFirst(int index) {
    QuietRule rule = rules[index];
    Limit limit = limits[index];
    rules[index] = rules[0];
    limits[index] = limits[0];
    rules[0] = rule;
    limits[0] = limit;
  }
}
