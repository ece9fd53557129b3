package io.retroscope.rql.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.Parser.ParseContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RqlCompleterTest {
  private final CatalogCache catalog =
      new CatalogCache(new FakeSession(), new ShellFixture.FakeClock());
  private final RqlCompleter completer = new RqlCompleter(catalog);

  @BeforeEach
  void load() throws IOException {
    catalog.load();
  }

  @Test
  void complete_startOfAStatement_offersWhatBeginsOne() {
    assertThat(offers("S")).contains("SELECT", "SHOW").doesNotContain("FROM", "setd");
    assertThat(offers("SHOW LOGS; S")).contains("SELECT").doesNotContain("FROM");
  }

  @Test
  void complete_lowerCase_offersWordsInLowerCase() {
    assertThat(offers("sel")).contains("select").doesNotContain("SELECT");
    assertThat(offers("SELECT r1 FROM setd wh")).contains("when");
  }

  @Test
  void complete_afterFrom_offersLogs() {
    assertThat(offers("SELECT r1 FROM ")).containsExactly("setd", "app");
    assertThat(offers("SELECT r1 FROM setd, a")).containsExactly("setd", "app");
    assertThat(offers("DESCRIBE ")).containsExactly("setd", "app");
    assertThat(offers("\\d s")).containsExactly("setd", "app");
  }

  @Test
  void complete_afterAt_offersNodesAsTheyMustBeWritten() {
    assertThat(offers("SELECT r1@z")).containsExactly("zk1", "`zk-2`");
    assertThat(offers("SELECT r1 FROM setd AT NODES zk1, ")).containsExactly("zk1", "`zk-2`");
    assertThat(offers("SELECT r1 FROM setd AT ")).containsExactly("NODES", "ALL_NODES", "LIVE");
  }

  @Test
  void complete_expression_offersVariablesOfTheLogsNamed() {
    assertThat(offers("SELECT ")).contains("r1", "level", "```odd name`");
    assertThat(offers("SELECT S")).contains("r1", "Spread(", "STREAM", "setd");
    assertThat(offers("SELECT r1 FROM setd WHEN r")).contains("r1").doesNotContain("level");
  }

  @Test
  void complete_nothingTyped_offersOnlyWhatIsLikely() {
    assertThat(offers("SELECT r1 FROM setd "))
        .contains("WHEN", "EMIT")
        .doesNotContain("r1", "Abs(");
    assertThat(offers("SELECT Max(r1) ")).contains("FROM");
    assertThat(offers("SELECT r1 FROM setd WHEN ")).containsExactly("r1", "r2", "```odd name`");
  }

  @Test
  void complete_backslash_offersCommands() {
    assertThat(offers("\\")).containsExactlyElementsOf(RqlCompleter.COMMANDS);
    assertThat(offers("\\format ")).contains("csv", "chart");
  }

  @Test
  void complete_clauseWords_offersWhatMayFollow() {
    assertThat(offers("SHOW ")).contains("LOGS", "VARIABLES");
    assertThat(offers("SELECT r1 FROM setd EMIT ")).containsExactly("CUTS", "INTERVALS", "EDGES");
    assertThat(offers("SELECT r1 FROM setd ON ")).containsExactly("TIME", "ERROR");
  }

  private List<String> offers(String text) {
    List<Candidate> candidates = new ArrayList<>();
    completer.complete(
        null, new EditorParser().parse(text, text.length(), ParseContext.COMPLETE), candidates);
    return candidates.stream().map(Candidate::value).toList();
  }
}
