package io.retroscope.rql.print;

/** Texts in files that people open with a spreadsheet. */
public final class CsvText {
  private static final String FORMULA_STARTS = "=+-@\t\r";

  private CsvText() {}

  /**
   * The text so that it stays one: an apostrophe comes before a text that a spreadsheet would
   * compute, such as a log line that begins with an equals sign.
   */
  public static String plain(String text) {
    boolean computed = !text.isEmpty() && FORMULA_STARTS.indexOf(text.charAt(0)) >= 0;
    return computed ? "'" + text : text;
  }
}
