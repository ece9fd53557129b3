// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.parser;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.parser.generated.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that {@code docs/rql/reference.md} lists everything in the code; other tests run its
 * examples.
 */
class ReferencePageTest {
  private String page;

  @BeforeEach
  void read() throws IOException {
    page = Files.readString(Path.of("../docs/rql/reference.md"));
  }

  @Test
  void page_describesEveryFunction() {
    assertThat(RqlFunction.all())
        .allSatisfy(
            function ->
                assertThat(page)
                    .contains(
                        "| `%s` | %s |"
                            .formatted(
                                function.signature().text(), function.signature().description())));
  }

  @Test
  void page_listsExactlyTheReservedWords() {
    int start = page.indexOf("Reserved are only");
    String block = page.substring(start, page.indexOf("and even these", start));
    Set<String> listed =
        new TreeSet<>(Arrays.asList(block.replace("Reserved are only", "").strip().split("\\s+")));
    Set<String> reserved = new TreeSet<>();
    RqlParser._ATN
        .nextTokens(RqlParser._ATN.ruleToStartState[RqlParser.RULE_reserved])
        .toList()
        .forEach(type -> reserved.add(RqlParser.VOCABULARY.getSymbolicName(type)));
    assertThat(listed).isEqualTo(reserved);
  }

  @Test
  void page_namesTheLimits() {
    ParseLimits parse = ParseLimits.DEFAULT;
    AnalysisLimits analysis = AnalysisLimits.DEFAULT;
    assertThat(page.replace('\n', ' '))
        .contains(
            String.format(Locale.ROOT, "%,d characters", parse.maxCharacters()),
            parse.maxNesting() + " levels of nesting",
            parse.maxDepth() + " operators",
            "at most " + analysis.maxBoundNames() + " names",
            String.format(Locale.ROOT, "%,d columns", analysis.maxItems()));
  }
}
