// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import org.jspecify.annotations.Nullable;

/**
 * A predicate over LONGs, evaluated without objects in the present state or, during a stretch, over
 * all its states at once. Used by one thread.
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
  QuietRule ALWAYS = () -> FALSE;

  /** Returns the truths that the predicate may have, or {@link #UNKNOWN}. */
  int truths();

  /**
   * Evaluates the predicate at each place of a stretch, in which LONGs replace LONGs.
   *
   * @param to receives FALSE, NULL or TRUE for each place
   * @return false if the rule cannot do this, or if the predicate may fail at any place
   */
  default boolean evaluate(Stretch stretch, byte[] to) {
    return false;
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
      public boolean evaluate(Stretch stretch, byte[] to) {
        boolean known = rule.evaluate(stretch, to);
        for (int i = 0; i < stretch.size() && known; i++) {
          to[i] = (byte) (to[i] == TRUE ? FALSE : TRUE);
        }
        return known;
      }

      @Override
      public int truthsOverBlock() {
        return rule.truthsOverBlock() == TRUE ? FALSE : UNKNOWN;
      }

      @Override
      public @Nullable Limit limit() {
        return rule.limitWhileTrue();
      }
    };
  }
}
