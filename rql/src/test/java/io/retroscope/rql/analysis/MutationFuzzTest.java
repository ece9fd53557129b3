// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that a modified query causes diagnostics but no other failure. */
class MutationFuzzTest {
  private static final Path FOLDER = Path.of("src/test/resources");
  private static final Pattern PIECE = Pattern.compile("\\s+|\\w+|.");
  private static final String ODD_CHARACTERS = "'\"`\\(){};:=<>@.,#*/-?!|&%_\n\t\0\u2028é😀 0x";
  private static final RqlParser PARSER = new RqlParser();
  private static final Analyzer ANALYZER =
      new Analyzer(TestCatalog.CATALOG, AnalysisLimits.DEFAULT);

  @Test
  void mutatedQueries_giveDiagnosticsOnly() throws IOException {
    fuzz(10_000);
  }

  @Test
  @Tag("slow")
  void tenMillionMutatedQueries_giveDiagnosticsOnly() throws IOException {
    fuzz(10_000_000);
  }

  private static void fuzz(long count) throws IOException {
    List<List<String>> queries = queries();
    long firstSeed = Long.getLong("rql.seed", 1);
    LongStream.range(firstSeed, firstSeed + count)
        .parallel()
        .forEach(
            seed -> {
              String text = mutate(queries, new Random(seed));
              try {
                check(text);
              } catch (RuntimeException | Error e) {
                throw new AssertionError("-Drql.seed=" + seed + ": " + text, e);
              }
            });
  }

  private static void check(String text) {
    ParsedStatement reading = PARSER.read(text);
    if (reading.statement().orElse(null) instanceof Statement.Query rest) {
      checkAll(ANALYZER.problems(text, rest, reading.obscured()), text);
    }
    try {
      for (Statement statement : PARSER.parseScript(text)) {
        RqlFormatter.format(statement);
        if (statement instanceof Statement.Query query) {
          ANALYZER.analyze(text, query);
        } else if (statement instanceof Statement.Evaluate evaluate) {
          ANALYZER.analyze(text, evaluate);
        }
      }
    } catch (RqlException e) {
      assertThat(e.diagnostics()).isNotEmpty();
      checkAll(e.diagnostics(), text);
      assertThat(DiagnosticPrinter.print(e)).contains("error[RQL");
    }
  }

  private static void checkAll(List<Diagnostic> diagnostics, String text) {
    for (Diagnostic diagnostic : diagnostics) {
      assertThat(diagnostic.message()).doesNotContain("null", "Token", "mismatched", "viable");
      assertThat(diagnostic.range().end()).isLessThanOrEqualTo(text.length());
    }
  }

  /** Valid and invalid queries, split into words, whitespace and symbols. */
  private static List<List<String>> queries() throws IOException {
    try (Stream<Path> files = Files.walk(FOLDER)) {
      return files
          .filter(file -> file.toString().matches(".*(\\.rql|errors/.*\\.txt)"))
          .flatMap(MutationFuzzTest::statements)
          .map(text -> PIECE.matcher(text).results().map(piece -> piece.group()).toList())
          .filter(pieces -> !pieces.isEmpty())
          .toList();
    }
  }

  private static Stream<String> statements(Path file) {
    try {
      return Stream.of(Files.readString(file).split(";\\s*\n|(?s)\nerror.*?====\n"));
    } catch (IOException e) {
      throw new AssertionError(file.toString(), e);
    }
  }

  private static String mutate(List<List<String>> queries, Random random) {
    List<String> query = queries.get(random.nextInt(queries.size()));
    StringBuilder text = new StringBuilder();
    int rarity = 1 + random.nextInt(query.size());
    for (String piece : query) {
      switch (random.nextInt(rarity) == 0 ? random.nextInt(6) : 6) {
        case 0 -> {}
        case 1 -> text.append(piece).append(piece);
        case 2 -> text.append(pieceOf(queries, random));
        case 3 -> text.append(piece).append(' ').append(pieceOf(queries, random));
        case 4 -> text.append(piece.repeat(random.nextInt(300)));
        case 5 -> text.append(oddCharacter(random)).append(piece);
        default -> text.append(piece);
      }
    }
    return text.toString();
  }

  private static String pieceOf(List<List<String>> queries, Random random) {
    List<String> other = queries.get(random.nextInt(queries.size()));
    return other.get(random.nextInt(other.size()));
  }

  private static char oddCharacter(Random random) {
    return ODD_CHARACTERS.charAt(random.nextInt(ODD_CHARACTERS.length()));
  }
}
