// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import com.google.re2j.Matcher;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The matching of one expression against many lines. Used by one thread.
 *
 * <p>Java's own expressions are several times as fast as RE2's, but may take exponential time. An
 * expression that means the same to both is matched by Java's, which gives up after a number of
 * steps; RE2's then decides.
 */
final class LineMatcher {
  private static final int STEPS_PER_CHARACTER = 100;
  private static final int MORE_STEPS = 2_000;

  private final LinearPattern linear;
  private final Optional<Pattern> fast;
  private final Steps steps = new Steps();
  private java.util.regex.@Nullable Matcher fastMatch;
  private @Nullable Matcher linearMatch;

  LineMatcher(LinearPattern linear) {
    this.linear = linear;
    fast = JavaExpression.of(linear.toString());
  }

  /** Whether a line matches: at its beginning, or anywhere. */
  boolean match(String line, boolean atBeginning) {
    fastMatch = null;
    linearMatch = null;
    if (fast.isPresent()) {
      try {
        java.util.regex.Matcher match = fast.get().matcher(steps.of(line));
        fastMatch = match;
        return atBeginning ? match.lookingAt() : match.find();
      } catch (TooManySteps | StackOverflowError e) {
        fastMatch = null;
      }
    }
    Matcher match = linear.matcher(line);
    linearMatch = match;
    return atBeginning ? match.lookingAt() : match.find();
  }

  /** The text of a group of the last match; null if it did not take part. */
  @Nullable String group(int number) {
    java.util.regex.Matcher match = fastMatch;
    Matcher other = linearMatch;
    if (match != null) {
      int start = match.start(number);
      return start < 0 ? null : steps.text.substring(start, match.end(number));
    }
    return other == null ? null : other.group(number);
  }

  /** The position after the last match. */
  int end() {
    java.util.regex.Matcher match = fastMatch;
    Matcher other = linearMatch;
    return match != null ? match.end() : other == null ? 0 : other.end();
  }

  /** The characters of a line, which can be read a limited number of times. */
  private static final class Steps implements CharSequence {
    private String text = "";
    private long left;

    Steps of(String line) {
      text = line;
      left = MORE_STEPS + (long) STEPS_PER_CHARACTER * line.length();
      return this;
    }

    @Override
    public char charAt(int index) {
      if (--left < 0) {
        throw new TooManySteps();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return text.subSequence(start, end);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Thrown within a match that takes too long. */
  private static final class TooManySteps extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooManySteps() {
      super(null, null, false, false);
    }
  }
}
