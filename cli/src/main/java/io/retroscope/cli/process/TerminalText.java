// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import io.retroscope.rql.print.ValueText;
import java.io.PrintWriter;
import java.util.Locale;

/**
 * A writer of a format for programs to a terminal. It shows control characters as escapes, so that
 * a name or a text in the events cannot control the terminal. Used by one thread.
 */
public final class TerminalText extends PrintWriter {
  private final PrintWriter terminal;

  /** A writer that writes to another one. */
  public TerminalText(PrintWriter terminal) {
    super(terminal);
    this.terminal = terminal;
  }

  /** The output of a command: as it is, unless it is a terminal. */
  public static PrintWriter ofOutput(PrintWriter out) {
    return StandardStreams.system().outIsTerminal() ? new TerminalText(out) : out;
  }

  @Override
  public void write(int character) {
    write(new char[] {(char) character}, 0, 1);
  }

  @Override
  public void write(String text, int from, int length) {
    write(text.substring(from, from + length).toCharArray(), 0, length);
  }

  @Override
  public void write(char[] text, int from, int length) {
    int written = from;
    for (int at = from; at < from + length; at++) {
      if (isControl(text, at, from + length)) {
        terminal.write(text, written, at - written);
        terminal.write(String.format(Locale.ROOT, "\\u%04X", (int) text[at]));
        written = at + 1;
      }
    }
    terminal.write(text, written, from + length - written);
  }

  /** The ends of lines and tabs of the format itself are none. */
  private static boolean isControl(char[] text, int at, int end) {
    char c = text[at];
    if (c == '\r') {
      return at + 1 < end && text[at + 1] != '\n';
    }
    return c != '\n' && c != '\t' && !Character.isSurrogate(c) && ValueText.isControl(c);
  }

  @Override
  public boolean checkError() {
    return terminal.checkError();
  }
}
