// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Advice for text that is not a token. */
final class LexicalAdvice {
  private static final int MAX_QUOTED_CHARACTERS = 40;
  private static final List<String> UNITS = List.of("us", "ms", "s", "m", "h", "d");
  private static final Map<Integer, String> BY_CHARACTER =
      Map.ofEntries(
          Map.entry((int) '\u2018', "strings require straight quotes: '...'"),
          Map.entry((int) '\u2019', "strings require straight quotes: '...'"),
          Map.entry((int) '\u201C', "strings require straight quotes: \"...\""),
          Map.entry((int) '\u201D', "strings require straight quotes: \"...\""),
          Map.entry((int) '\u2264', "write <="),
          Map.entry((int) '\u2265', "write >="),
          Map.entry((int) '\u2260', "write !="),
          Map.entry((int) '\u2208', "write IN"),
          Map.entry((int) '\u2203', "write EXISTS"),
          Map.entry((int) '\u2200', "write FORALL"),
          Map.entry((int) '\u2227', "write AND"),
          Map.entry((int) '\u2228', "write OR"),
          Map.entry((int) '\u00AC', "write NOT"),
          Map.entry((int) '&', "AND is written && or AND"),
          Map.entry((int) '|', "OR is written || or OR"),
          Map.entry((int) '^', "powers are written Pow(x, y)"),
          Map.entry((int) '~', "patterns are matched by LIKE and CONTAINS"),
          Map.entry((int) '[', "sets are written {1, 2}; a field is read with a dot: conn.state"),
          Map.entry((int) ']', "sets are written {1, 2}; a field is read with a dot: conn.state"));

  private LexicalAdvice() {}

  /** Returns the text in double quotes on one line, shortened if it is long. */
  static String quote(String text) {
    String line = text.replaceAll("\\s+", " ");
    return line.length() <= MAX_QUOTED_CHARACTERS
        ? '"' + line + '"'
        : '"' + line.substring(0, MAX_QUOTED_CHARACTERS) + "...\"";
  }

  static String forNumber(String written) {
    int unitStart = 0;
    while (unitStart < written.length() && isPartOfNumber(written.charAt(unitStart))) {
      unitStart++;
    }
    String number = written.substring(0, unitStart);
    String unit = written.substring(unitStart).toLowerCase(Locale.ROOT);
    if (UNITS.contains(unit)) {
      return number.contains(".")
          ? "a duration is a whole number of a unit; take a smaller one, as in 1500ms for 1.5s"
          : "units are written in small letters: " + number + unit;
    }
    return "durations are written 250us 5ms 2s 10m 1h 2d; a name that begins with a digit needs"
        + " backquotes: `"
        + written
        + "`";
  }

  private static boolean isPartOfNumber(char c) {
    return c == '.' || (c >= '0' && c <= '9');
  }

  static Optional<String> forCharacter(int codePoint) {
    return Optional.ofNullable(BY_CHARACTER.get(codePoint));
  }
}
