// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * A printer of lines, and on a terminal of a status line that is redrawn below them. Thread-safe.
 */
public final class DemoScreen {
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean terminal;
  private final boolean quiet;
  private @Nullable String status;

  /** A screen; without a terminal, status lines are left out. */
  public DemoScreen(PrintWriter out, boolean terminal, boolean quiet) {
    this.out = out;
    this.terminal = terminal;
    this.quiet = quiet;
  }

  /** Prints a line of the demo's progress, unless it is quiet. */
  public synchronized void say(String line) {
    if (!quiet) {
      print(line);
    }
  }

  /** Prints a line of the result. */
  public synchronized void print(String line) {
    if (status != null) {
      out.print(CLEAR_LINE);
    }
    out.println(line);
    if (status != null) {
      out.print(status);
    }
    out.flush();
  }

  /** Redraws the status line, if this is a terminal. */
  public synchronized void status(String line) {
    if (terminal && !quiet) {
      out.print(CLEAR_LINE + line);
      out.flush();
      status = line;
    }
  }

  /** Removes the status line. */
  public synchronized void endStatus() {
    if (status != null) {
      out.print(CLEAR_LINE);
      out.flush();
      status = null;
    }
  }
}
