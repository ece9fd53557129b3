// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import com.google.re2j.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * An expression with a text that every match contains, so that most messages are passed over by a
 * search for that text. Thread-safe.
 */
public final class RequiredText {
  private static final String SPECIAL = "\\[](){}.*+?^$|";

  private final LinearPattern pattern;
  private final String text;

  RequiredText(LinearPattern pattern) {
    this.pattern = pattern;
    this.text = longestLiteral(pattern.toString());
  }

  LinearPattern pattern() {
    return pattern;
  }

  /** The text; empty if none is known. */
  String text() {
    return text;
  }

  /** The first match within a message; null if there is none. */
  @Nullable Matcher match(String message) {
    if (!message.contains(text)) {
      return null;
    }
    Matcher match = pattern.matcher(message);
    return match.find() ? match : null;
  }

  /** The longest run of plain characters outside of groups; none if there are alternatives. */
  private static String longestLiteral(String expression) {
    String longest = "";
    StringBuilder run = new StringBuilder();
    int depth = 0;
    for (int i = 0; i < expression.length(); i++) {
      char c = expression.charAt(i);
      if (depth == 0 && (c == '|' || expression.startsWith("(?i", i))) {
        return "";
      }
      boolean isPlain = depth == 0 && SPECIAL.indexOf(c) < 0;
      if (isPlain) {
        run.append(c);
        continue;
      }
      boolean isOptional = c == '*' || c == '?' || c == '{';
      run.setLength(Math.max(0, run.length() - (isOptional ? 1 : 0)));
      longest = run.length() > longest.length() ? run.toString() : longest;
      run.setLength(0);
      if (c == '\\') {
        i += skippedEscape(expression, i);
      } else if (c == '[') {
        i = endOfClass(expression, i);
      } else if (c == '{') {
        int close = expression.indexOf('}', i);
        i = close < 0 ? expression.length() : close;
      }
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    return run.length() > longest.length() ? run.toString() : longest;
  }

  /** The length of the rest of an escape, such as \x{41}, \pL or \Q...\E. */
  private static int skippedEscape(String expression, int from) {
    char kind = from + 1 < expression.length() ? expression.charAt(from + 1) : ' ';
    if (kind == 'Q') {
      int end = expression.indexOf("\\E", from);
      return end < 0 ? expression.length() : end + 1 - from;
    }
    boolean isBraced = expression.startsWith("{", from + 2);
    if ((kind == 'p' || kind == 'P' || kind == 'x') && isBraced) {
      return Math.max(1, expression.indexOf('}', from) - from);
    }
    return kind == 'x' || kind == '0' ? 3 : kind == 'p' || kind == 'P' ? 2 : 1;
  }

  private static int endOfClass(String expression, int from) {
    int at = from + 1;
    at += expression.startsWith("^", at) ? 1 : 0;
    at += expression.startsWith("]", at) ? 1 : 0;
    while (at < expression.length() && expression.charAt(at) != ']') {
      at += expression.charAt(at) == '\\' ? 2 : 1;
    }
    return at;
  }
}
