// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A translation of expressions from RE2's syntax to Java's, as far as they mean the same to both
 * within one line. Used by one thread.
 */
final class JavaExpression {
  private static final Pattern NAMED_GROUP = Pattern.compile("\\(\\?P?<[A-Za-z_]\\w*>");
  private static final Pattern COUNT = Pattern.compile("\\{\\d+(,\\d*)?\\}");

  /** Letters after a backslash that mean the same. */
  private static final String SAME_ESCAPES = "dDwWntrf";

  /** What {@code \s} means to RE2. */
  private static final String SPACES = "\\t\\n\\f\\r ";

  /** What {@code \b} means to RE2, whose words are of ASCII. */
  private static final String WORD_BORDER = "(?:(?<=\\w)(?!\\w)|(?<!\\w)(?=\\w))";

  private final String in;
  private final StringBuilder out = new StringBuilder();
  private int at;

  /**
   * For the whole and each open group, whether a part of it may match nothing. What repetitions of
   * such groups capture differs.
   */
  private final Deque<Boolean> mayBeEmpty = new ArrayDeque<>();

  private JavaExpression(String in) {
    this.in = in;
    mayBeEmpty.push(false);
  }

  /**
   * Translates an expression that is valid to RE2; its groups have the same numbers, and no names.
   *
   * @return empty if a part of it may have another meaning in Java
   */
  static Optional<Pattern> of(String expression) {
    JavaExpression translation = new JavaExpression(expression);
    while (translation.at < expression.length()) {
      if (!translation.translatePart()) {
        return Optional.empty();
      }
    }
    try {
      return Optional.of(Pattern.compile(translation.out.toString(), Pattern.UNIX_LINES));
    } catch (PatternSyntaxException e) {
      return Optional.empty();
    }
  }

  private boolean translatePart() {
    return switch (in.charAt(at)) {
      case '(' -> openGroup();
      case ')' -> closeGroup();
      case '[' -> translateClass();
      case '\\' -> translateEscape();
      case '{' -> copyCount();
      case '*', '?', '|', '^', '$' -> {
        noteEmpty();
        yield copy(1);
      }
      default -> copy(1);
    };
  }

  private boolean copy(int length) {
    out.append(in, at, at + length);
    at += length;
    return true;
  }

  private void noteEmpty() {
    mayBeEmpty.pop();
    mayBeEmpty.push(true);
  }

  private boolean openGroup() {
    mayBeEmpty.push(false);
    Matcher named = NAMED_GROUP.matcher(in);
    if (named.find(at) && named.start() == at) {
      out.append('(');
      at = named.end();
      return true;
    }
    boolean hasFlags = in.startsWith("(?", at);
    return hasFlags ? in.startsWith("(?:", at) && copy(3) : copy(1);
  }

  private boolean closeGroup() {
    boolean wasEmpty = mayBeEmpty.pop();
    if (mayBeEmpty.isEmpty()) {
      return false;
    }
    copy(1);
    if (wasEmpty) {
      noteEmpty();
    }
    char next = at < in.length() ? in.charAt(at) : ' ';
    return !wasEmpty || (next != '*' && next != '+' && next != '{');
  }

  private boolean copyCount() {
    noteEmpty();
    Matcher count = COUNT.matcher(in);
    return count.find(at) && count.start() == at && copy(count.end() - at);
  }

  private boolean translateEscape() {
    char c = at + 1 < in.length() ? in.charAt(at + 1) : 'Q';
    if (c == 's' || c == 'S') {
      out.append(c == 's' ? "[" : "[^").append(SPACES).append(']');
      at += 2;
      return true;
    }
    if (c == 'b') {
      noteEmpty();
      out.append(WORD_BORDER);
      at += 2;
      return true;
    }
    return meansTheSame(c) && copy(2);
  }

  private static boolean meansTheSame(char escaped) {
    boolean isLetterOrDigit = Character.isLetterOrDigit(escaped);
    return escaped < 128 && (!isLetterOrDigit || SAME_ESCAPES.indexOf(escaped) >= 0);
  }

  /** Translates a class of characters without classes of POSIX and those that Java adds. */
  private boolean translateClass() {
    copy(in.startsWith("[^", at) ? 2 : 1);
    if (in.startsWith("]", at)) {
      return false;
    }
    while (at < in.length() && in.charAt(at) != ']') {
      char c = in.charAt(at);
      if (c == '[' || in.startsWith("&&", at)) {
        return false;
      }
      if (c != '\\') {
        copy(1);
      } else if (in.startsWith("s", at + 1)) {
        out.append(SPACES);
        at += 2;
      } else if (at + 1 == in.length() || !meansTheSame(in.charAt(at + 1))) {
        return false;
      } else {
        copy(2);
      }
    }
    return at < in.length() && copy(1);
  }
}
