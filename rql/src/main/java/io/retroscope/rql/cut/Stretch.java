// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive writes at which every cut is examined at once. The writes of one stamp make one cut,
 * at the last of them, but each write counts as a place. Used by one thread.
 */
public final class Stretch {
  private long number;
  private int size;

  /* The walk may stop at many cuts of a stretch, so the truths of each rule are kept. */
  private Verdicts[] verdicts = {};
  private int known;

  /** Begins another stretch, so that nothing is valid that was found for the one before. */
  void begin(int places) {
    number++;
    size = places;
    known = 0;
  }

  /** A number that only the present stretch has. */
  long number() {
    return number;
  }

  /** The number of places. */
  public int size() {
    return size;
  }

  /**
   * Returns FALSE, NULL or TRUE for each place, in an array that may be longer and that is valid
   * until the next stretch, or null if {@link QuietRule#evaluate} cannot tell.
   */
  public byte @Nullable [] truths(QuietRule rule) {
    for (int i = 0; i < known; i++) {
      if (verdicts[i].rule == rule) {
        return verdicts[i].truths(rule, this);
      }
    }
    if (known == verdicts.length) {
      verdicts = Arrays.copyOf(verdicts, known + 2);
      verdicts[known] = new Verdicts();
      verdicts[known + 1] = new Verdicts();
    }
    return verdicts[known++].truths(rule, this);
  }

  /** What a rule is at each place. */
  private static final class Verdicts {
    private @Nullable QuietRule rule;
    private long stretch;
    private long revision;
    private boolean areKnown;
    private byte[] truths = {};

    byte @Nullable [] truths(QuietRule asked, Stretch present) {
      if (stretch != present.number || revision != asked.revision()) {
        if (truths.length < present.size) {
          truths = new byte[Math.max(present.size, 2 * truths.length)];
        }
        rule = asked;
        stretch = present.number;
        revision = asked.revision();
        areKnown = asked.evaluate(present, truths);
      }
      return areKnown ? truths : null;
    }
  }
}
