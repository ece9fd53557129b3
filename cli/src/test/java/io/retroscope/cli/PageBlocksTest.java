// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests that each block of code on each page is checked. In this order, a block is
 *
 * <ul>
 *   <li>run by {@link DocumentationTest} or {@link ServerPagesTest}, if its first line says so;
 *   <li>listed in {@code page-blocks}, with the test that checks it or the reason why none does;
 *   <li>on a page of RQL, of which {@code RqlPagesTest} runs every block;
 *   <li>an excerpt of a file of the project, which is compiled or loaded there;
 *   <li>a statement or a file of rules, which must be correct RQL;
 *   <li>commands without output, whose options and names must exist.
 * </ul>
 */
class PageBlocksTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String LIST = "page-blocks";
  private static final Pattern TEST = Pattern.compile("\\w+Test");
  private static final Pattern NAMED_TEST = Pattern.compile("\\b[A-Z]\\w+Test\\b");

  /** The end of the names of several tests. */
  private static final String OF_A_FOLDER = "CaseTest";

  private static final Set<String> RUN = Set.of("console test", "console server");
  private static final Set<String> COMMANDS = Set.of("", "console", "sh");
  private static final Set<String> RQL_PAGES =
      Set.of(
          "README.md",
          "docs/rql/cookbook.md",
          "docs/rql/for-published-rql-users.md",
          "docs/rql/reference.md",
          "docs/rql/shell.md",
          "docs/rql/tutorial.md");
  private static final Pattern COMMENTS = Pattern.compile("(?m)^\\s*--.*$");
  private static final Set<String> STATEMENTS =
      Set.of("SELECT", "NEVER", "ALWAYS", "EXPLAIN", "SHOW", "CREATE", "DESCRIBE", "POSSIBLY");

  /** A row of the list. */
  private record Listed(String page, String start, String how) {
    static Listed of(String row) {
      String[] cells = row.split(" \\| ", 3);
      assertThat(cells).as(row).hasSize(3);
      return new Listed(cells[0], cells[1], cells[2]);
    }

    boolean is(PageBlock block) {
      return matches(page, "*", "[^/]+", block.page())
          && matches(start, "%", "\\d", block.start().substring(0, startLength(block)));
    }

    private int startLength(PageBlock block) {
      return Math.min(start.length(), block.start().length());
    }

    private static boolean matches(String pattern, String sign, String meaning, String text) {
      List<String> parts = List.of(pattern.split(Pattern.quote(sign), -1));
      return text.matches(parts.stream().map(Pattern::quote).collect(Collectors.joining(meaning)));
    }
  }

  private static List<Path> files;
  private static List<PageBlock> blocks;
  private static List<Listed> list;
  private static Excerpts excerpts;
  private static ShownCommands commands;

  @BeforeAll
  static void read() throws IOException {
    files = ProjectFiles.in(ROOT);
    blocks = PageBlock.all(ROOT, files);
    excerpts = new Excerpts(ROOT, files);
    commands = new ShownCommands(ROOT, files);
    try (Stream<String> rows = Files.lines(Path.of("src/test/resources/io/retroscope/cli", LIST))) {
      list = rows.filter(row -> !row.startsWith("#")).map(Listed::of).toList();
    }
  }

  @Test
  void everyBlock_isChecked_orListedWithTheReasonWhyNot() {
    List<String> unchecked = new ArrayList<>();
    for (PageBlock block : blocks) {
      fault(block).ifPresent(fault -> unchecked.add(block + " (" + block.start() + "): " + fault));
    }
    assertThat(unchecked).isEmpty();
  }

  @Test
  void everyCommandOnATerminal_hasOptionsThatExist() {
    for (PageBlock block : blocks) {
      if (block.language().startsWith("console")) {
        for (ConsoleBlock.Step step : ConsoleBlock.of(block).steps()) {
          if (commands.areKnown(step.command())) {
            assertThat(commands.fault(step.command())).as("%s", block).isEmpty();
          }
        }
      }
    }
  }

  /** Empty if the block is checked. */
  private static Optional<String> fault(PageBlock block) {
    if (RUN.contains(block.language()) || list.stream().anyMatch(row -> row.is(block))) {
      return Optional.empty();
    }
    if (RQL_PAGES.contains(block.page())
        && Set.of("rql", "json", "text").contains(block.language())) {
      return Optional.empty();
    }
    if (Excerpts.LANGUAGES.contains(block.language()) && excerpts.have(block)) {
      return Optional.empty();
    }
    if (STATEMENTS.contains(firstWord(block))) {
      return faultOfStatements(block);
    }
    String shown = withoutPrompts(block);
    if (COMMANDS.contains(block.language()) && commands.areKnown(shown)) {
      return commands.fault(shown);
    }
    return Optional.of("no test checks it, and no row of " + LIST + " says why");
  }

  private static String firstWord(PageBlock block) {
    return COMMENTS.matcher(block.text()).replaceAll("").strip().split("\\s", 2)[0];
  }

  private static Optional<String> faultOfStatements(PageBlock block) {
    try {
      if (block.text().contains("CREATE ")) {
        RuleSet rules = new RuleSet();
        rules.add(block.page(), block.text());
        return rules.faults().stream().findFirst().map(String::valueOf);
      }
      new RqlParser().readAll(block.text());
      return Optional.empty();
    } catch (RqlException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** The text, in which lines of output remain if it has any, and are no commands. */
  private static String withoutPrompts(PageBlock block) {
    return block.text().replaceAll("(?m)^[$>] ", "");
  }

  @Test
  void everyRow_isOfABlock() {
    for (Listed row : list) {
      assertThat(blocks.stream().anyMatch(row::is)).as("%s", row).isTrue();
    }
  }

  @Test
  void everyRowOfATest_namesOneThatReadsThePage() throws IOException {
    for (Listed row : list) {
      if (TEST.matcher(row.how()).matches()) {
        Optional<Path> test = testFile(row.how());
        assertThat(test).as("%s", row).isPresent();
        String page = row.page().substring(row.page().lastIndexOf('/') + 1);
        assertThat(test.get()).as("%s", row).content().contains(page);
      }
    }
  }

  @Test
  void everyRow_namesTestsThatExist() {
    for (Listed row : list) {
      assertThat(NAMED_TEST.matcher(row.how()).results().map(MatchResult::group))
          .as("%s", row)
          .allMatch(name -> name.equals(OF_A_FOLDER) || testFile(name).isPresent());
    }
  }

  private static Optional<Path> testFile(String name) {
    return files.stream().filter(file -> file.endsWith(name + ".java")).findFirst();
  }

  @Test
  void blocks_ofAPage_areThoseBetweenFencesAndTheIndentedOnes() {
    String page = "a\n\n    one\n\n```sh\ntwo\n```\n- item\n\n  ```\n  three\n  ```\n";
    assertThat(PageBlock.of("p.md", page))
        .containsExactly(
            new PageBlock("p.md", 3, "", "one\n"),
            new PageBlock("p.md", 5, "sh", "two\n"),
            new PageBlock("p.md", 10, "", "three\n"));
  }

  @Test
  void commands_thatDoNotExist_areFaults() {
    assertThat(commands.fault("./retroscope shell --nothing")).isPresent();
    assertThat(commands.fault("mvn verify -pl nothing")).hasValue("nothing");
    assertThat(commands.fault("mvn verify -Pfast,nothing")).hasValue("nothing");
    assertThat(commands.fault("mvn verify -Dtest=NothingTest")).hasValue("NothingTest");
    assertThat(commands.fault("mvn test -pl rql -Dtest=PageBlocksTest")).hasValue("PageBlocksTest");
    assertThat(commands.fault("mvn test -pl cli -Dtest=PageBlocksTest")).isEmpty();
    assertThat(commands.fault("mvn test -pl cli -Dtest=ServerPagesTest"))
        .hasValue("ServerPagesTest");
    assertThat(commands.fault("mvn test -Pslow -pl cli -Dtest=ServerPagesTest")).isEmpty();
    assertThat(commands.fault("java -cp a io.retroscope.Nothing")).isPresent();
    assertThat(commands.fault("./retroscope server --port 7340 && mvn -Pfast -pl cli test"))
        .isEmpty();
    assertThat(commands.areKnown("docker build .")).isFalse();
  }
}
