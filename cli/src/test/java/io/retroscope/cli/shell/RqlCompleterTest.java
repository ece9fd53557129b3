// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jline.reader.Candidate;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.Parser.ParseContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the words that the shell offers; {@code |} marks the cursor if it is not at the end. */
class RqlCompleterTest {
  private static final List<String> CLAUSES =
      List.of(
          "FOR EACH VARIABLE",
          "FOR EACH NODE",
          "FOR EACH VALUE",
          "COMPUTE",
          "WHEN",
          "AT NODES",
          "AT LIVE NODES",
          "ON TIME",
          "ON ERROR SKIP",
          "EMIT",
          "LIMIT",
          "PLAY");
  private static final String FIRST = "hlc'0.0'";
  private static final String LAST = "hlc'1000000.0'";

  @TempDir private Path folder;
  private final CatalogCache catalog =
      new CatalogCache(new FakeSession(), new ShellFixture.FakeClock());

  @BeforeEach
  void load() throws IOException {
    catalog.load();
  }

  @Test
  void complete_startOfAStatement_offersWhatBeginsOne() {
    assertThat(offers(""))
        .containsExactly(
            "SELECT",
            "SHOW",
            "DESCRIBE",
            "EXPLAIN",
            "FORGET",
            "KILL",
            "CREATE ALERT",
            "DROP ALERT",
            "ACKNOWLEDGE ALERT",
            "MUTE ALERT",
            "POSSIBLY",
            "DEFINITELY",
            "help",
            "exit",
            "quit");
    assertThat(offers("POSSIBLY r")).contains("r1", "r2");
    assertThat(offers("DEFINITELY r1@zk1 > 2 FROM ")).containsExactly("setd", "app", "`my-log`");
    assertThat(offers("KILL ")).containsExactly("QUERY");
    assertThat(offers("KILL QUERY ")).isEmpty();
    assertThat(offers("S"))
        .containsExactly(
            "SELECT",
            "SHOW",
            "Sin(",
            "Sqrt(",
            "Subset(",
            "String(",
            "Substring(",
            "Sum(",
            "Spread(",
            "Silence(");
    assertThat(offers("SHOW LOGS; SE")).containsExactly("SELECT");
    assertThat(offers("EXPLAIN ")).containsExactly("ANALYZE", "SELECT", "CUT", "EPISODE");
    assertThat(offers("EXPLAIN ANALYZE ")).containsExactly("SELECT");
  }

  @Test
  void complete_lowerCase_offersWordsInLowerCase() {
    assertThat(offers("sel")).containsExactly("select");
    assertThat(offers("SELECT r1 FROM setd wh")).containsExactly("when");
    assertThat(offers("SELECT r1 FROM setd for e"))
        .containsExactly("each variable", "each node", "each value");
  }

  @Test
  void complete_log_isOfferedWhereOneIsDue() {
    for (String text :
        List.of(
            "SELECT r1 FROM ",
            "SELECT r1 FROM setd, ",
            "DESCRIBE ",
            "\\d ",
            "SHOW VARIABLES FROM ",
            "SHOW LOGS;\n\\d ")) {
      assertThat(offers(text)).as(text).containsExactly("setd", "app", "`my-log`");
    }
  }

  @Test
  void complete_nameThatNeedsBackquotes_isFoundWithoutThem() {
    assertThat(offers("SELECT x FROM my")).containsExactly("`my-log`");
    assertThat(offers("SELECT x FROM `my-l")).containsExactly("`my-log`");
    assertThat(offers("SELECT r1@`zk-")).containsExactly("`zk-2`");
    assertThat(offers("SELECT r1@zk-")).containsExactly("`zk-2`");
    assertThat(offers("SELECT x FROM My-L")).containsExactly("`my-log`");
    assertThat(offers("SELECT r1-le")).containsExactly("level", "length(");
    assertThat(offers("\\d my-l")).containsExactly("`my-log`");
    assertThat(offers("SELECT o")).contains("```odd name`");
  }

  @Test
  void complete_afterAt_offersNodesAndWhatIsBound() {
    assertThat(offers("SELECT r1@")).containsExactly("zk1", "`zk-2`");
    assertThat(offers("SELECT r1 FROM setd AT NODES zk1, ")).containsExactly("zk1", "`zk-2`");
    assertThat(offers("SELECT r1 FROM setd AT NODES ")).containsExactly("zk1", "`zk-2`");
    assertThat(offers("SELECT r1 FROM setd WHEN EXISTS a, b IN NODES : (r1@"))
        .containsExactly("zk1", "`zk-2`", "a", "b");
    assertThat(offers("SELECT r1 FROM setd AT "))
        .containsExactly("NODES", "ALL_NODES", "LIVE NODES");
    assertThat(offers("SELECT r1 FROM setd AT LIVE ")).containsExactly("NODES");
    assertThat(offers("SELECT r1 FROM setd AT LIVE NODES LIM")).containsExactly("LIMIT");
  }

  @Test
  void complete_expression_offersVariablesOfTheLogsNamed() {
    assertThat(offers("SELECT ")).contains("r1", "level", "```odd name`", "STREAM");
    assertThat(offers("SELECT r1 FROM setd WHEN r"))
        .containsExactly("r1", "r2", "round(", "replace(");
    assertThat(offers("SELECT setd.")).containsExactly("r1", "r2", "```odd name`");
    assertThat(offers("SELECT | FROM app;")).containsExactly("level", "message", "STREAM");
    assertThat(offers("SELECT r1, l| FROM app")).contains("level").doesNotContain("r1");
  }

  @Test
  void complete_items_areFollowedByFromOrAName() {
    assertThat(offers("SELECT r1 ")).containsExactly("FROM", "AS");
    assertThat(offers("SELECT Max(r1) ")).containsExactly("FROM", "AS");
    assertThat(offers("SELECT * ")).containsExactly("FROM", "AS");
    assertThat(offers("SELECT r1 AS ")).isEmpty();
    assertThat(offers("SELECT Max(r")).contains("r1", "r2");
  }

  @Test
  void complete_clauses_areOfferedUntilTheyHaveBegun() {
    assertThat(offers("SELECT r1 FROM setd ")).containsExactlyElementsOf(CLAUSES);
    assertThat(offers("SELECT r1 FROM setd WHEN r1@zk1 = 2 EMIT CUTS ON TIME NOW LIMIT 3 "))
        .containsExactly(
            "FOR EACH VARIABLE",
            "FOR EACH NODE",
            "FOR EACH VALUE",
            "COMPUTE",
            "AT NODES",
            "AT LIVE NODES",
            "ON ERROR SKIP",
            "PLAY");
    assertThat(offers("SELECT r1 FROM setd WHEN r1@zk1 = 2 "))
        .contains("AND", "OR", "FOR", "EMIT", "THEN", "NOT THEN", "AFTER", "NOT AFTER")
        .doesNotContain("WHEN", "FROM");
    assertThat(offers("SELECT r1 FROM setd WHEN (r1@zk1 = 2 ")).containsExactly("AND", "OR");
    assertThat(offers("SELECT r1 FROM setd WHEN TRUE FOR 5ms FOR EACH VARIABLE v W")).isEmpty();
    assertThat(offers("SELECT r1 FROM setd WHEN TRUE FOR 5ms T")).containsExactly("THEN");
    assertThat(offers("SELECT r1 FROM setd WHEN TRUE THEN r1@zk1 = 2 "))
        .contains("WITHIN", "UNLESS", "EMIT")
        .doesNotContain("THEN", "AFTER");
    assertThat(offers("SELECT r1 FROM setd WHEN TRUE AFTER r1@zk1 = 2 "))
        .contains("WITHIN")
        .doesNotContain("UNLESS");
    assertThat(offers("SELECT r1 FROM setd WHEN TRUE THEN ")).contains("r1");
  }

  @Test
  void complete_condition_offersQuantifiersAndWhatTheyBind() {
    String when = "SELECT r1 FROM setd WHEN ";
    assertThat(offers(when))
        .containsExactly("r1", "r2", "```odd name`", "EXISTS", "FORALL", "COUNT", "FILTER", "NOT");
    assertThat(offers(when + "EXISTS ")).isEmpty();
    assertThat(offers(when + "EXISTS v ")).containsExactly("IN");
    assertThat(offers(when + "EXISTS v, ")).isEmpty();
    assertThat(offers(when + "'zk1' IN FILTER version IN r1 : (v")).containsExactly("version");
    assertThat(offers(when + "EXISTS v IN ")).contains("r1", "NODES");
    assertThat(offers(when + "EXISTS version IN r1 : (v")).containsExactly("version");
    assertThat(offers(when + "r1@zk1 = 2 A")).contains("AND", "AT NODES");
    assertThat(offers(when + "r1@zk1 I")).contains("IN", "IS NULL", "ISSUBSET", "INTERSECT");
    assertThat(offers("SELECT r1 FROM setd COMPUTE ")).contains("VAR", "GLOBAL", "OUT");
    assertThat(offers("SELECT r1 FROM setd COMPUTE OUT behind AND b")).contains("behind");
  }

  @Test
  void complete_clauseWords_offerWhatMayFollow() {
    String query = "SELECT r1 FROM setd ";
    assertThat(offers(query + "EMIT ")).containsExactly("CUTS", "INTERVALS", "EDGES");
    assertThat(offers(query + "ON ")).containsExactly("TIME", "ERROR SKIP");
    assertThat(offers(query + "ON TIME ")).containsExactly("LAST", "NOW", FIRST, LAST);
    assertThat(offers(query + "ON TIME NOW ")).startsWith("TO", "FOR EACH VARIABLE");
    assertThat(offers(query + "ON TIME NOW TO ")).containsExactly("NOW", FIRST, LAST);
    assertThat(offers(query + "ON TIME LAST ")).isEmpty();
    assertThat(offers(query + "FOR ")).containsExactly("EACH VARIABLE", "EACH NODE", "EACH VALUE");
    assertThat(offers(query + "FOR EACH NODE nearby WHEN r1@n")).contains("nearby");
    assertThat(offers(query + "FOR EACH VALUE v ")).startsWith("IN");
    assertThat(offers(query + "FOR EACH VARIABLE ")).isEmpty();
    assertThat(offers(query + "FOR EACH VARIABLE v ")).startsWith("LIKE", "COMPUTE");
    assertThat(offers(query + "LIMIT ")).isEmpty();
    assertThat(offers(query + "PLAY ")).containsExactly("piano", "woodblock");
    assertThat(offers(query + "PLAY woodblock "))
        .startsWith("AS", "EACH", "LEVEL", "STEPS", "NOTE", "SCALE", "VELOCITY", "LENGTH", "PAN");
    assertThat(offers(query + "PLAY pad AS ")).containsExactly("BACKGROUND", "MARK", "ALARM");
    assertThat(offers(query + "PLAY pad AS BACKGROUND ")).contains("FOLLOW", "RANGE");
    assertThat(offers(query + "PLAY pad AS BACKGROUND FOLLOW r1 RANGE ")).isEmpty();
    assertThat(offers(query + "PLAY wood NOTE r1 SCALE "))
        .containsExactly("pentatonic", "major", "minor", "chromatic");
    assertThat(offers(query + "PLAY wood EACH n ")).containsExactly("IN");
    assertThat(offers(query + "PLAY wood EACH n IN NODES : (MAX(r1) - r1@")).contains("n");
    assertThat(offers(query + "PLAY wood EACH n IN NODES : (TRUE) PLACE ")).containsExactly("n");
    assertThat(offers(query + "PLAY wood LEVEL ")).contains("r1").doesNotContain("NOTE");
    assertThat(offers(query + "PLAY wood EVERY ")).isEmpty();
    assertThat(offers(query + "PLAY woodblock NOTE 60 + ")).contains("r1").doesNotContain("NOTE");
    assertThat(offers("SHOW "))
        .containsExactly("LOGS", "NODES", "ALIGNMENT", "QUERIES", "VARIABLES", "ALERTS");
    assertThat(offers("SHOW VARIABLES ")).containsExactly("FROM", "LIKE");
    assertThat(offers("SHOW VARIABLES FROM setd ")).containsExactly("LIKE");
  }

  @Test
  void complete_stringOrComment_offersNothing() {
    for (String text : List.of("SELECT 'a ", "SELECT \"S", "SELECT /* S", "-- S", "# S")) {
      assertThat(offers(text)).as(text).isEmpty();
    }
    assertThat(offers("-- a\nSEL")).containsExactly("SELECT");
  }

  @Test
  void complete_commands_offerTheirArguments() throws IOException {
    Files.createDirectory(folder.resolve("daily"));
    Files.writeString(folder.resolve("daily/report.rql"), "");
    Files.writeString(folder.resolve("date.rql"), "");
    Files.writeString(folder.resolve(".hidden"), "");

    assertThat(offers("\\")).containsExactlyElementsOf(RqlCompleter.COMMANDS);
    assertThat(offers("SHOW LOGS;\n\\tim")).containsExactly("\\timing");
    assertThat(offers("\\format ")).contains("csv", "chart");
    assertThat(offers("\\x ")).containsExactly("on", "off", "auto");
    assertThat(offers("\\timing ")).containsExactly("on", "off");
    assertThat(offers("\\i ")).containsExactly("daily/", "date.rql");
    assertThat(offers("\\i daily/")).containsExactly("daily/report.rql");
    assertThat(offers("\\o .")).containsExactly(".hidden");
    assertThat(offers("\\i nowhere/")).isEmpty();
    assertThat(offers("help sel")).containsExactly("select");
    assertThat(offers("\\? spr")).containsExactly("spread");
  }

  @Test
  void complete_setDifference_isNoCommand() {
    assertThat(offers("SELECT r1\n\\ r")).contains("r1", "r2");
  }

  @Test
  void commonPrefix_namesWithAndWithoutBackquotes_isWhatTheyShare() {
    NameMatcher matcher = new NameMatcher();
    matcher.compile(Map.of(), true, edited("SELECT r"), true, 0, "");
    Candidate exact = new Candidate("r");

    assertThat(matcher.matches(List.of(new Candidate("r12"), new Candidate("r1"), exact)))
        .contains(exact);
    assertThat(matcher.getCommonPrefix()).isEqualTo("r");
    assertThat(matcher.exactMatch()).isEqualTo(exact);
    matcher.matches(List.of(new Candidate("r12"), new Candidate("r13")));
    assertThat(matcher.getCommonPrefix()).isEqualTo("r1");
    assertThat(matcher.exactMatch()).isNull();
  }

  /** Returns the candidates in the editor: those that match the typed text. */
  private List<String> offers(String marked) {
    CompletingParsedLine line = edited(marked);
    List<Candidate> candidates = new ArrayList<>();
    new RqlCompleter(catalog, new FileNames(folder), List.of("piano", "woodblock"))
        .complete(null, line, candidates);
    NameMatcher matcher = new NameMatcher();
    matcher.compile(Map.of(), true, line, true, 0, "");
    return matcher.matches(candidates).stream().map(Candidate::value).toList();
  }

  private CompletingParsedLine edited(String marked) {
    int cursor = marked.contains("|") ? marked.indexOf('|') : marked.length();
    return (CompletingParsedLine)
        new EditorParser(() -> catalog.get().names())
            .parse(marked.replace("|", ""), cursor, ParseContext.COMPLETE);
  }
}
