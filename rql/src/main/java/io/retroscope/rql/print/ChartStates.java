// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The texts of one column of a chart, each with a letter: its own first letter if available. */
final class ChartStates {
  /** The maximum number of texts with a letter of their own; all others share {@link #OTHER}. */
  static final int MAX_STATES = 20;

  private static final char OTHER = '*';
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

  /** The maximum length of a text in the legend. */
  private static final int MAX_TEXT_LENGTH = 40;

  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private final StringBuilder letters = new StringBuilder();
  private boolean others;

  /** Returns the number of a text, in the order of first use. */
  int number(String text) {
    Integer known = numbers.get(text);
    if (known != null) {
      return known;
    }
    if (numbers.size() == MAX_STATES) {
      others = true;
      return MAX_STATES;
    }
    letters.append(freeLetter(text));
    numbers.put(text, numbers.size());
    return numbers.size() - 1;
  }

  private char freeLetter(String text) {
    String wanted = text.isEmpty() ? "" : text.substring(0, 1).toLowerCase(Locale.ROOT);
    boolean free = LETTERS.contains(wanted) && !wanted.isEmpty() && letters.indexOf(wanted) < 0;
    return free
        ? wanted.charAt(0)
        : (char)
            LETTERS
                .chars()
                .filter(c -> letters.indexOf(Character.toString(c)) < 0)
                .findFirst()
                .orElse(OTHER);
  }

  /** Returns the letter of a text. */
  char letter(int number) {
    return number < letters.length() ? letters.charAt(number) : OTHER;
  }

  /** Returns the meanings of the letters. */
  String legend() {
    String known =
        numbers.entrySet().stream()
            .map(state -> letter(state.getValue()) + " = " + shortened(state.getKey()))
            .collect(Collectors.joining(", "));
    return others ? known + ", " + OTHER + " = others" : known;
  }

  private static String shortened(String text) {
    String shown = ValueText.printable(text);
    return shown.codePointCount(0, shown.length()) <= MAX_TEXT_LENGTH
        ? shown
        : shown.substring(0, shown.offsetByCodePoints(0, MAX_TEXT_LENGTH)) + "...";
  }
}
