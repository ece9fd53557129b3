package io.retroscope.cli.shell;

import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.print.ValueText;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Prints what goes wrong, and other remarks, where no rows go. Used by one thread. */
final class ErrorPrinter {
  private final PrintWriter err;
  private final Optional<IntSupplier> width;

  /**
   * A printer.
   *
   * @param width columns of the terminal that it prints to; without one nothing is made to fit
   */
  ErrorPrinter(PrintWriter err, Optional<IntSupplier> width) {
    this.err = err;
    this.width = width;
  }

  /** A statement's errors, each at its place. */
  void error(RqlException error) {
    String text =
        width
            .map(columns -> DiagnosticPrinter.print(error, columns.getAsInt()))
            .orElseGet(() -> DiagnosticPrinter.print(error));
    text.lines().forEach(this::line);
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
