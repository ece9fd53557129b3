// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

/** Texts for comma-separated values, as in RFC 4180, that may be opened with a spreadsheet. */
public final class CsvText {
  /** The end of a record. */
  public static final String LINE_END = "\r\n";

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
    return needsQuotes(text) ? '"' + doubled(text) + '"' : text;
  }

  /** Returns the part of a quoted cell that has this text. */
  static String doubled(String text) {
    return text.replace("\"", "\"\"");
  }

  private static boolean needsQuotes(String text) {
    boolean bare = !text.isEmpty() && text.charAt(0) != ' ' && !text.endsWith(" ");
    for (int i = 0; bare && i < text.length(); i++) {
      char c = text.charAt(i);
      bare = c != ',' && c != '"' && c != '\r' && c != '\n';
    }
    return !bare;
  }
}
