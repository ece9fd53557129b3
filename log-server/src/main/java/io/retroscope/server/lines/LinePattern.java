package io.retroscope.server.lines;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.regex.Matcher;

/**
 * A regular expression that is matched against messages in linear time. Thread-safe.
 *
 * <p>Its syntax is that of RE2: Java's without backreferences and lookaround.
 */
public final class LinePattern {
  /** Counted repetitions are expanded when an expression is compiled. */
  private static final java.util.regex.Pattern REPETITION =
      java.util.regex.Pattern.compile("\\{(\\d{1,9})(?:,(\\d{0,9}))?\\}");

  private static final long MAX_REPETITIONS = 10_000;

  private final Pattern pattern;

  /**
   * Compiles an expression.
   *
   * @throws IllegalArgumentException if it is invalid; the message is one sentence with the reason
   */
  LinePattern(String expression) {
    checkRepetitions(expression);
    try {
      pattern = Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "not a regular expression of RE2's syntax: \"%s\": %s"
              .formatted(expression, e.getDescription()),
          e);
    }
  }

  /** Repetitions may be nested, so that their counts multiply. */
  private static void checkRepetitions(String expression) {
    long product = 1;
    Matcher counts = REPETITION.matcher(expression);
    while (counts.find()) {
      String most =
          counts.group(2) == null || counts.group(2).isEmpty() ? counts.group(1) : counts.group(2);
      product *= Math.max(1, Math.min(Long.parseLong(most), MAX_REPETITIONS + 1));
      if (product > MAX_REPETITIONS) {
        throw new IllegalArgumentException(
            "the expression \"%s\" repeats more than %d times: use * or +"
                .formatted(expression, MAX_REPETITIONS));
      }
    }
  }

  /** Whether it matches anywhere in a message. */
  boolean isFoundIn(String message) {
    return pattern.matcher(message).find();
  }
}
