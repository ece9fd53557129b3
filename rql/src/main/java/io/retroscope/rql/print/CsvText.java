package io.retroscope.rql.print;

import java.util.regex.Pattern;

/** Texts for comma-separated values, as in RFC 4180, that may be opened with a spreadsheet. */
public final class CsvText {
  /** The end of a record. */
  public static final String LINE_END = "\r\n";

  private static final Pattern NEEDS_QUOTES = Pattern.compile("[,\"\r\n]|^$|^ | $");
  private static final String FORMULA_STARTS = "=+-@\t\r";

  private CsvText() {}

  /**
   * Returns the text, with an apostrophe in front if a spreadsheet would otherwise treat it as a
   * formula, such as a log line that begins with an equals sign.
   */
  public static String plain(String text) {
    boolean computed = !text.isEmpty() && FORMULA_STARTS.indexOf(text.charAt(0)) >= 0;
    return computed ? "'" + text : text;
  }

  /** Returns the cell of a text: {@link #plain}, in quotes where they are needed. */
  public static String cell(String text) {
    return quoted(plain(text));
  }

  static String quoted(String text) {
    return NEEDS_QUOTES.matcher(text).find() ? '"' + text.replace("\"", "\"\"") + '"' : text;
  }
}
