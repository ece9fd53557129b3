package io.retroscope.server.lines;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A regular expression that is sought in messages, and ended where it takes too long. */
public final class LinePattern {
  private final Pattern pattern;

  /**
   * Compiles an expression.
   *
   * @throws IllegalArgumentException if it is none, with one sentence that says why
   */
  LinePattern(String expression) {
    try {
      pattern = Pattern.compile(expression);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "not a regular expression: \"" + expression + "\": " + e.getDescription(), e);
    }
  }

  /**
   * Whether it matches anywhere in a message.
   *
   * @throws LineException if it takes too long to say
   */
  boolean isFoundIn(String message) {
    try {
      return pattern.matcher(new BoundedText(message)).find();
    } catch (StackOverflowError | BoundedText.ExhaustedException e) {
      throw new LineException(
          "the expression \"" + pattern + "\" takes too long on a line: write a simpler one", e);
    }
  }
}
