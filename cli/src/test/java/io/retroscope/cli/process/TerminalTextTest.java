// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TerminalTextTest {
  private static final String EVIL = "a\u001b]0;title\u0007\u009b31m\rover\u202eurned \uD83D\uDE00";

  /** Each format: the terminal receives no control character but the ends of lines and tabs. */
  @ParameterizedTest
  @EnumSource
  void print_controlCharacters_areEscapes(OutputFormat format) {
    StringWriter terminal = new StringWriter();
    ResultPrinter printer = format.printer(new TerminalText(new PrintWriter(terminal)), 80, false);
    printer.columns(List.of(new Column("name" + EVIL, false), new Column("text", false)));
    printer.row(new Row(0, 0, List.of(Value.of(EVIL), Value.of("plain")), Optional.empty()));
    printer.end();
    assertThat(terminal.toString().replace("\r\n", "\n").chars())
        .noneMatch(c -> c != '\n' && c != '\t' && (Character.isISOControl(c) || c == 0x202e));
    if (format != OutputFormat.CHART) {
      assertThat(terminal.toString()).contains("plain", "\uD83D\uDE00");
    }
  }
}
