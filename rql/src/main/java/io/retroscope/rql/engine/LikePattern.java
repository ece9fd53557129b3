package io.retroscope.rql.engine;

import java.util.Arrays;

/** A pattern of LIKE: {@code %} is any text, {@code _} any character, a backslash escapes them. */
final class LikePattern {
  /*
   * Matched by hand, greedily from one % to the next, so that no pattern takes more than quadratic
   * time; a regular expression with many .* would.
   */
  private static final int ANY_TEXT = -1;
  private static final int ANY_CHARACTER = -2;

  private final int[] symbols;

  private LikePattern(int[] symbols) {
    this.symbols = symbols;
  }

  static LikePattern of(String pattern) {
    int[] points = pattern.codePoints().toArray();
    int[] symbols = new int[points.length];
    int count = 0;
    for (int i = 0; i < points.length; i++) {
      boolean escaped =
          points[i] == '\\'
              && i + 1 < points.length
              && (points[i + 1] == '%' || points[i + 1] == '_' || points[i + 1] == '\\');
      if (escaped) {
        symbols[count++] = points[++i];
      } else {
        symbols[count++] =
            points[i] == '%' ? ANY_TEXT : points[i] == '_' ? ANY_CHARACTER : points[i];
      }
    }
    return new LikePattern(Arrays.copyOf(symbols, count));
  }

  boolean matches(String text) {
    int[] points = text.codePoints().toArray();
    int at = 0;
    int symbol = 0;
    int retrySymbol = -1;
    int retryAt = 0;
    while (at < points.length) {
      if (symbol < symbols.length && symbols[symbol] == ANY_TEXT) {
        retrySymbol = ++symbol;
        retryAt = at;
      } else if (symbol < symbols.length
          && (symbols[symbol] == ANY_CHARACTER || symbols[symbol] == points[at])) {
        symbol++;
        at++;
      } else if (retrySymbol >= 0) {
        symbol = retrySymbol;
        at = ++retryAt;
      } else {
        return false;
      }
    }
    while (symbol < symbols.length && symbols[symbol] == ANY_TEXT) {
      symbol++;
    }
    return symbol == symbols.length;
  }
}
