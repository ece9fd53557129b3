// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.batch;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predicate over numbers, evaluated without objects over a {@link CutBatch}: in the present
 * state, over all cuts of a part at once, or at each of them. Used by one thread.
 *
 * <p>The result is the set of truths that the predicate may have, as bits. Over one state it is
 * exact, or {@link #UNKNOWN}; over several states a larger set is always right. A walk passes over
 * cuts without its listener if the rule shows that the predicate is not TRUE there and cannot fail.
 */
@FunctionalInterface
public interface QuietRule {
  /** The predicate may be FALSE. */
  int FALSE = 1;

  /** The predicate may be NULL. */
  int NULL = 2;

  /** The predicate may be TRUE. */
  int TRUE = 4;

  /** The predicate has to be evaluated: it may have any truth, and it may fail. */
  int UNKNOWN = 15;

  /** The rule of a predicate that is never TRUE. */
  QuietRule ALWAYS =
      new QuietRule() {
        @Override
        public int truths() {
          return FALSE;
        }

        @Override
        public void evaluate(CutBatch batch, byte[] to) {
          Arrays.fill(to, 0, batch.size(), (byte) FALSE);
        }
      };

  /**
   * Returns the truths that the predicate may have in the present state or, if that is the batch's
   * domain, within bounds; or {@link #UNKNOWN}.
   */
  int truths();

  /**
   * Evaluates the predicate at each place of the part of a batch that is examined.
   *
   * @param to receives FALSE, NULL, TRUE or UNKNOWN for each place
   */
  default void evaluate(CutBatch batch, byte[] to) {
    Arrays.fill(to, 0, batch.size(), (byte) UNKNOWN);
  }

  /** Returns a number that differs whenever the rule is another one than before. */
  default long revision() {
    return 0;
  }

  /** Returns whether the predicate is surely not TRUE, and cannot fail. */
  default boolean isQuiet() {
    return truths() < TRUE;
  }

  /** Returns {@link #truths} over the cuts of a block that is not read. */
  default int truthsOverBlock() {
    return truths();
  }

  /** Returns whether the predicate is surely not TRUE in a block that is not read. */
  default boolean isQuietOverBlock() {
    return truthsOverBlock() < TRUE;
  }

  /**
   * An object that is equal for rules over one batch that always have equal results: the rule
   * itself if no other is known.
   */
  default Object key() {
    return this;
  }

  /**
   * The limit up to which the rule is quiet if it is a comparison of one number with a constant,
   * otherwise null.
   */
  default @Nullable Limit limit() {
    return null;
  }

  /** The {@link #limit} of {@link #whileTrue}. */
  default @Nullable Limit limitWhileTrue() {
    return null;
  }

  /**
   * The limit of a rule that is quiet as long as all of a number's bounds are within it.
   *
   * @param number equal for rules that compare the same number
   * @param whileTrue whether the rule is that of {@link QuietRule#whileTrue}
   * @param isUpper whether the rule is quiet at the limit and below; otherwise, there and above
   */
  record Limit(Object number, boolean whileTrue, boolean isUpper, long limit) {
    /** Returns whether another rule is quiet whenever the rule with this limit is. */
    public boolean implies(Limit other) {
      return whileTrue == other.whileTrue
          && isUpper == other.isUpper
          && (isUpper ? limit <= other.limit : limit >= other.limit)
          && number.equals(other.number);
    }
  }

  /** Returns the rule that is quiet as long as this predicate is surely TRUE. */
  default QuietRule whileTrue() {
    QuietRule rule = this;
    return new QuietRule() {
      @Override
      public int truths() {
        return rule.truths() == TRUE ? FALSE : UNKNOWN;
      }

      @Override
      public void evaluate(CutBatch batch, byte[] to) {
        byte[] truths = batch.truths(rule);
        for (int i = 0; i < batch.size(); i++) {
          to[i] = (byte) (truths[i] == TRUE ? FALSE : UNKNOWN);
        }
      }

      @Override
      public int truthsOverBlock() {
        return rule.truthsOverBlock() == TRUE ? FALSE : UNKNOWN;
      }

      @Override
      public Object key() {
        return List.of("while TRUE", rule.key());
      }

      @Override
      public @Nullable Limit limit() {
        return rule.limitWhileTrue();
      }
    };
  }
}
