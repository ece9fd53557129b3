// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.diagnostic;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.analysis.Analyzer;
import io.retroscope.rql.analysis.TestCatalog;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.parser.ParseLimits;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Tests the cases of {@code src/test/resources/errors}: an invalid text, followed by its errors
 * exactly as printed. {@code -Dgolden.update} rewrites the errors for review.
 */
class PrintedErrorsTest {
  private static final Path FOLDER = Path.of("src/test/resources/errors");
  private static final String CASE_END = "====\n";

  @TestFactory
  Stream<DynamicTest> printedErrors_areExactlyAsWritten() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(FOLDER)) {
      files = all.sorted().toList();
    }
    return files.stream().flatMap(PrintedErrorsTest::cases);
  }

  private static Stream<DynamicTest> cases(Path file) {
    boolean small = file.endsWith("limits.txt");
    List<String> updated = new ArrayList<>();
    List<DynamicTest> tests = new ArrayList<>();
    for (String written : read(file).split("(?m)^" + CASE_END, -1)) {
      String text = textOf(written);
      String printed = text + "\n" + errors(text, small);
      updated.add(printed);
      tests.add(
          DynamicTest.dynamicTest(
              file.getFileName() + ": " + text.lines().findFirst().orElse("nothing"),
              () -> assertThat(written).isEqualTo(printed)));
    }
    if (Boolean.getBoolean("golden.update")) {
      write(file, String.join(CASE_END, updated));
      return Stream.of();
    }
    return tests.stream();
  }

  /** Returns the text before the first error of a case. */
  private static String textOf(String written) {
    int errors = written.indexOf("error[RQL");
    String text = errors < 0 ? written : written.substring(0, errors);
    return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
  }

  private static String errors(String text, boolean smallLimits) {
    ParseLimits parse = smallLimits ? new ParseLimits(200, 10, 20) : ParseLimits.DEFAULT;
    AnalysisLimits analysis = smallLimits ? new AnalysisLimits(8, 20) : AnalysisLimits.DEFAULT;
    Analyzer analyzer = new Analyzer(TestCatalog.CATALOG, analysis);
    ParsedStatement reading = new RqlParser(parse).read(text);
    List<Diagnostic> problems = new ArrayList<>(reading.problems());
    Statement statement = reading.statement().orElse(null);
    if (statement instanceof Statement.Query query) {
      problems.addAll(analyzer.problems(text, query, reading.obscured()));
    } else if (statement instanceof Statement.Evaluate evaluate && problems.isEmpty()) {
      try {
        analyzer.analyze(text, evaluate);
      } catch (RqlException e) {
        problems.addAll(e.diagnostics());
      }
    }
    return problems.isEmpty()
        ? "no error"
        : DiagnosticPrinter.print(new RqlException(text, problems));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(file.toString(), e);
    }
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new AssertionError(file.toString(), e);
    }
  }
}
