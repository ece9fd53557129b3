package io.retroscope.rql.print;

/** Texts for files that may be opened with a spreadsheet. */
public final class CsvText {
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
}
