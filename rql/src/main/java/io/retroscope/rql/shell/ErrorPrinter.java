package io.retroscope.rql.shell;

import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import java.io.PrintWriter;

/** Prints what goes wrong, and other remarks, where no rows go. Used by one thread. */
final class ErrorPrinter {
  private final PrintWriter err;

  ErrorPrinter(PrintWriter err) {
    this.err = err;
  }

  /** A statement's errors, each at its place. */
  void error(RqlException error) {
    DiagnosticPrinter.print(error).lines().forEach(this::line);
  }

  /** A file or a connection that failed. */
  void error(Exception error) {
    String message = error.getMessage();
    error(message == null ? error.getClass().getSimpleName() : message);
  }

  /** An error in one sentence. */
  void error(String message) {
    line("error: " + message);
  }

  /** A remark. */
  void note(String text) {
    line(text);
  }

  /** Leaves the line in which a terminal has shown Ctrl-C. */
  void freshLine() {
    err.print("\n");
    err.flush();
  }

  private void line(String text) {
    err.print(ValueText.printable(text) + "\n");
    err.flush();
  }
}
