// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * A regular expression with named groups, which is matched in linear time. Its syntax is that of
 * RE2: Java's without backreferences and look-around. Thread-safe.
 */
public final class LinearPattern {
  /** Counted repetitions are expanded when an expression is compiled. */
  private static final java.util.regex.Pattern REPETITION =
      java.util.regex.Pattern.compile("\\{(\\d{1,9})(?:,(\\d{0,9}))?\\}");

  private static final long MAX_SIZE = 10_000;

  private static final int MAX_EXPRESSION_LENGTH = 20_000;

  private static final java.util.regex.Pattern GROUP =
      java.util.regex.Pattern.compile("\\(\\?<(?=[A-Za-z_])");

  /** What RE2 does not have, and how it is called. */
  private static final Map<String, String> ABSENT =
      Map.of(
          "(?=", "look-ahead",
          "(?!", "look-ahead",
          "(?<=", "look-behind",
          "(?<!", "look-behind",
          "(?>", "an atomic group",
          "\\k<", "a backreference",
          "(?P=", "a backreference",
          "(?&", "a subroutine",
          "(?(", "a condition");

  private final String expression;
  private final Pattern pattern;
  private final List<String> names;

  /**
   * Compiles an expression.
   *
   * @throws IllegalArgumentException if it is invalid; the message is one sentence with the reason
   */
  public LinearPattern(String expression) {
    this(expression, 0);
  }

  LinearPattern(String expression, int flags) {
    checkLength(expression);
    checkAbsent(expression);
    checkRepetitions(expression);
    this.expression = expression;
    try {
      pattern = Pattern.compile(GROUP.matcher(expression).replaceAll("(?P<"), flags);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "not a regular expression of RE2's syntax: \"%s\": %s"
              .formatted(expression, e.getDescription()),
          e);
    }
    String[] ordered = new String[pattern.groupCount() + 1];
    pattern.namedGroups().forEach((name, index) -> ordered[index] = name);
    List<String> all = new ArrayList<>();
    for (String name : ordered) {
      all.add(name == null ? "" : name);
    }
    names = List.copyOf(all);
  }

  private static void checkLength(String expression) {
    if (expression.length() > MAX_EXPRESSION_LENGTH) {
      throw new IllegalArgumentException(
          "a regular expression has at most %d characters, not %d"
              .formatted(MAX_EXPRESSION_LENGTH, expression.length()));
    }
  }

  private static void checkAbsent(String expression) {
    boolean inClass = false;
    for (int i = 0; i < expression.length(); i++) {
      char c = expression.charAt(i);
      int at = i;
      String found =
          inClass
              ? ""
              : ABSENT.keySet().stream()
                  .filter(start -> expression.startsWith(start, at))
                  .findFirst()
                  .orElse("");
      boolean isReference =
          c == '\\' && !inClass && i + 1 < expression.length() && isDigit(expression, i + 1);
      if (!found.isEmpty() || isReference) {
        throw new IllegalArgumentException(
            "\"%s\" has %s at character %d, which RE2's syntax has not: write it without look-around and backreferences"
                .formatted(expression, isReference ? "a backreference" : ABSENT.get(found), i + 1));
      }
      if (c == '\\') {
        i++;
      } else if (c == '[' && !inClass) {
        inClass = true;
        // A bracket at the start of a class is one of its characters.
        i += expression.startsWith("^]", i + 1) ? 2 : expression.startsWith("]", i + 1) ? 1 : 0;
      } else if (c == ']') {
        inClass = false;
      }
    }
  }

  private static boolean isDigit(String text, int at) {
    return text.charAt(at) >= '1' && text.charAt(at) <= '9';
  }

  /** Checks the size after repetitions are expanded; nested ones multiply. */
  private static void checkRepetitions(String expression) {
    Deque<Long> outer = new ArrayDeque<>();
    long size = 0;
    long last = 0;
    java.util.regex.Matcher count = REPETITION.matcher(expression);
    for (int i = 0; i < expression.length() && size <= MAX_SIZE; i++) {
      char c = expression.charAt(i);
      if (c == '(') {
        outer.push(size);
        size = 0;
        last = 0;
      } else if (c == ')' && !outer.isEmpty()) {
        last = size;
        size += outer.pop();
      } else if (c == '{' && count.find(i) && count.start() == i) {
        long times = times(count);
        size += last * (times - 1);
        last *= times;
        i = count.end() - 1;
      } else {
        i += c == '\\' ? 1 : 0;
        last = 1;
        size++;
      }
    }
    if (size > MAX_SIZE) {
      throw new IllegalArgumentException(
          "the expression \"%s\" repeats more than %d times: use * or +"
              .formatted(expression, MAX_SIZE));
    }
  }

  private static long times(java.util.regex.Matcher count) {
    boolean isOpen = count.group(2) == null || count.group(2).isEmpty();
    long most = Long.parseLong(isOpen ? count.group(1) : count.group(2));
    return Math.max(1, Math.min(most, MAX_SIZE + 1));
  }

  /** The names of its groups by their numbers; empty for one without a name. */
  List<String> names() {
    return names;
  }

  boolean hasGroup(String name) {
    return names.contains(name);
  }

  Matcher matcher(String text) {
    return pattern.matcher(text);
  }

  /** Whether it matches anywhere in a text. */
  public boolean isFoundIn(String text) {
    return pattern.matcher(text).find();
  }

  /** The expression as written. */
  @Override
  public String toString() {
    return expression;
  }
}
