// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.OneStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests that every statement of {@code src/test/resources/queries/valid.rql} is accepted and that
 * its formatted text parses to the same tree.
 */
class ValidQueriesTest {
  private static final Path FILE = Path.of("src/test/resources/queries/valid.rql");
  private static final RqlParser PARSER = new RqlParser();
  private static final Analyzer ANALYZER =
      new Analyzer(TestCatalog.CATALOG, AnalysisLimits.DEFAULT);

  @TestFactory
  Stream<DynamicTest> validQueries_areAcceptedAndPrintBack() throws IOException {
    String text = Files.readString(FILE);
    try {
      return PARSER.parseScript(text).stream().map(statement -> test(text, statement));
    } catch (RqlException e) {
      throw new AssertionError("\n" + DiagnosticPrinter.print(e), e);
    }
  }

  private static DynamicTest test(String script, Statement written) {
    String text = script.substring(written.range().start(), written.range().end());
    return DynamicTest.dynamicTest(
        text,
        () -> {
          String printed = RqlFormatter.format(written);
          assertThat(RqlFormatter.format(OneStatement.of(printed))).isEqualTo(printed);
          try {
            check(printed, OneStatement.of(printed));
          } catch (RqlException e) {
            throw new AssertionError("\n" + DiagnosticPrinter.print(e), e);
          }
        });
  }

  private static void check(String text, Statement statement) {
    if (statement instanceof Statement.Query query) {
      assertThat(ANALYZER.analyze(text, query).items()).isNotEmpty();
    } else if (statement instanceof Statement.Evaluate evaluate) {
      ANALYZER.analyze(text, evaluate);
    }
  }
}
