// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

class ErrorPrinterTest {
  private static final String QUERY =
      "SELECT r1, SPREAD(r1) AS lag FROM setd WHEN SPREAD(r1) >= 2 AND wrong@zk1 > 4 EMIT CUTS;";

  @Test
  void error_longLineOnANarrowTerminal_keepsTheCaretUnderItsWord() {
    assertThat(print(Optional.of(() -> 60)))
        .isEqualTo(
            """
            error[RQL0203]: unknown variable "wrong"
            LINE 1: ...AD(r1) >= 2 AND wrong@zk1 > 4 EMIT CUTS;
                                       ^^^^^
            """);
    assertThat(print(Optional.of(() -> 40)))
        .isEqualTo(
            """
            error[RQL0203]: unknown variable "wrong"
            LINE 1: ...>= 2 AND wrong@zk1 > 4 E...
                                ^^^^^
            """);
  }

  @Test
  void error_whereNothingNeedsToFit_echoesTheLine() {
    String whole =
        """
        error[RQL0203]: unknown variable "wrong"
        LINE 1: %s
                %s^^^^^
        """
            .formatted(QUERY, " ".repeat(QUERY.indexOf("wrong")));

    assertThat(print(Optional.empty())).isEqualTo(whole);
    assertThat(print(Optional.of(() -> 120))).isEqualTo(whole);
  }

  @Test
  void error_everyWidth_fits() {
    for (int width = 40; width < 200; width++) {
      int columns = width;
      assertThat(print(Optional.of(() -> columns)).lines().skip(1))
          .allMatch(line -> line.length() <= columns);
    }
  }

  private static String print(Optional<IntSupplier> width) {
    StringWriter printed = new StringWriter();
    int at = QUERY.indexOf("wrong");
    Diagnostic wrong =
        new Diagnostic(
            "RQL0203",
            "unknown variable \"wrong\"",
            new SourceRange(at, at + "wrong".length()),
            Optional.empty());
    new ErrorPrinter(new PrintWriter(printed), width)
        .error(new RqlException(QUERY, List.of(wrong)));
    return printed.toString();
  }
}
