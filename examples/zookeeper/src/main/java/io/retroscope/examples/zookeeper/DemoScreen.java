package io.retroscope.examples.zookeeper;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/** Prints lines, and on a terminal a status line that is redrawn below them. Thread-safe. */
final class DemoScreen {
  private static final String CLEAR_LINE = "\r\u001b[K";

  private final PrintWriter out;
  private final boolean terminal;
  private final boolean quiet;
  private @Nullable String status;

  DemoScreen(PrintWriter out, boolean terminal, boolean quiet) {
    this.out = out;
    this.terminal = terminal;
    this.quiet = quiet;
  }

  /** A line of the demo's progress, left out when it is to be quiet. */
  synchronized void say(String line) {
    if (!quiet) {
      print(line);
    }
  }

  /** A line of the result. */
  synchronized void print(String line) {
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
  synchronized void status(String line) {
    if (terminal && !quiet) {
      out.print(CLEAR_LINE + line);
      out.flush();
      status = line;
    }
  }

  /** Takes the status line away. */
  synchronized void endStatus() {
    if (status != null) {
      out.print(CLEAR_LINE);
      out.flush();
      status = null;
    }
  }
}
