package io.retroscope.cli;

import io.retroscope.rql.diagnostic.RqlException;
import java.util.stream.Collectors;

/** An error in a statement, as a person reads it. */
final class DiagnosticText {
  private DiagnosticText() {}

  static String of(RqlException e) {
    return e.diagnostics().stream()
        .map(diagnostic -> "error[" + diagnostic.code() + "]: " + diagnostic.message())
        .collect(Collectors.joining("\n"));
  }
}
