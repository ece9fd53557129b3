// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

/**
 * A printer of errors for the shell, the HTTP API and the web.
 *
 * <pre>
 * error[RQL0203]: unknown variable "verson" in log "setd"
 * LINE 1: SELECT max(verson) FROM setd
 *                    ^^^^^^
 * help: did you mean "version"? Variables here: version, znode
 * </pre>
 */
public final class DiagnosticPrinter {
  /**
   * The maximum length of an echoed line. Of a longer line only a part around the error is shown.
   */
  static final int MAX_ECHO_CHARACTERS = 160;

  /** The minimum length of an echoed line on a narrow terminal. */
  private static final int MIN_ECHO_CHARACTERS = 20;

  /** The columns of the label and two ellipses next to the echo, in a text of several lines. */
  private static final int COLUMNS_BESIDE_ECHO = 16;

  private static final String ELLIPSIS = "...";

  private DiagnosticPrinter() {}

  /** Returns all errors of an exception, one after another; lines end in {@code \n}. */
  public static String print(RqlException e) {
    StringBuilder out = new StringBuilder();
    e.diagnostics().forEach(diagnostic -> out.append(print(e.text(), diagnostic)));
    return out.toString();
  }

  /**
   * Returns all errors, with lines shortened so that the caret is correct on a terminal of this
   * width.
   */
  public static String print(RqlException e, int terminalColumns) {
    int echo =
        Math.max(
            MIN_ECHO_CHARACTERS,
            Math.min(MAX_ECHO_CHARACTERS, terminalColumns - COLUMNS_BESIDE_ECHO));
    StringBuilder out = new StringBuilder();
    e.diagnostics().forEach(diagnostic -> out.append(print(e.text(), diagnostic, echo)));
    return out.toString();
  }

  /**
   * Returns one error.
   *
   * @param text the whole text that the range points into
   * @return three or four lines, each ending in {@code \n}
   */
  public static String print(String text, Diagnostic diagnostic) {
    return print(text, diagnostic, MAX_ECHO_CHARACTERS);
  }

  private static String print(String text, Diagnostic diagnostic, int echoCharacters) {
    int start = Math.min(diagnostic.range().start(), text.length());
    int lineStart = text.lastIndexOf('\n', start - 1) + 1;
    int newline = text.indexOf('\n', start);
    int lineEnd = newline < 0 ? text.length() : newline;
    int end = Math.min(Math.max(diagnostic.range().end(), start + 1), Math.max(lineEnd, start + 1));
    int from = firstShown(lineStart, lineEnd, start, echoCharacters);
    int to = Math.min(lineEnd, from + echoCharacters);

    String label =
        "LINE " + lineNumber(text, lineStart) + ": " + (from > lineStart ? ELLIPSIS : "");
    String echo = text.substring(from, to) + (to < lineEnd ? ELLIPSIS : "");
    int lead = label.length() + columns(text.substring(from, Math.min(start, to)));
    int width = columns(text.substring(start, Math.max(start, Math.min(end, to))));
    return "error[%s]: %s\n".formatted(diagnostic.code(), diagnostic.message())
        + label
        + printable(echo)
        + '\n'
        + " ".repeat(lead)
        + "^".repeat(Math.max(1, width))
        + '\n'
        + diagnostic.help().map(help -> "help: " + help + '\n').orElse("");
  }

  private static int firstShown(int lineStart, int lineEnd, int start, int echoCharacters) {
    int lead = echoCharacters * 3 / 8;
    return lineEnd - lineStart <= echoCharacters ? lineStart : Math.max(lineStart, start - lead);
  }

  private static long lineNumber(String text, int lineStart) {
    return 1 + text.substring(0, lineStart).chars().filter(c -> c == '\n').count();
  }

  /**
   * Replaces control characters, so that a text cannot control the terminal and a tab takes one
   * column.
   */
  private static String printable(String line) {
    return line.replaceAll("\\p{Cntrl}", " ");
  }

  /** Returns the width on a terminal: wide characters take two columns, combining ones none. */
  private static int columns(String text) {
    return CharacterWidth.of(printable(text));
  }
}
