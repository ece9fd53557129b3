// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.print.ValueText;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.function.IntSupplier;

/** A printer of errors and other messages to a stream without rows. Used by one thread. */
final class ErrorPrinter {
  private final PrintWriter err;
  private final Optional<IntSupplier> width;
  private Optional<String> place = Optional.empty();

  /**
   * Creates a printer.
   *
   * @param width width of the terminal; empty if the output is not a terminal, so that lines are
   *     not shortened
   */
  ErrorPrinter(PrintWriter err, Optional<IntSupplier> width) {
    this.err = err;
    this.width = width;
  }

  /**
   * Sets the place in a script that the next errors begin with, as {@code file:line}.
   *
   * @return the place before
   */
  Optional<String> place(Optional<String> script) {
    Optional<String> before = place;
    place = script;
    return before;
  }

  /** Prints a statement's errors, each with its place. */
  void error(RqlException error) {
    String text =
        width
            .map(columns -> DiagnosticPrinter.print(error, columns.getAsInt()))
            .orElseGet(() -> DiagnosticPrinter.print(error));
    (start() + text).lines().forEach(this::line);
  }

  /** Prints the failure of a file or a connection. */
  void error(Exception error) {
    String message = error.getMessage();
    error(message == null ? error.getClass().getSimpleName() : message);
  }

  /** Prints an error in one sentence. */
  void error(String message) {
    line(start() + "error: " + message);
  }

  private String start() {
    return place.map(script -> script + ": ").orElse("");
  }

  /** Prints a message. */
  void note(String text) {
    line(text);
  }

  /** Ends the line in which a terminal has shown Ctrl-C. */
  void freshLine() {
    err.print("\n");
    err.flush();
  }

  private void line(String text) {
    err.print(ValueText.printable(text) + "\n");
    err.flush();
  }
}
