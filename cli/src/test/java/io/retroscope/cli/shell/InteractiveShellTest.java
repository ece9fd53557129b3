// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static io.retroscope.cli.shell.PtyShell.CTRL_C;
import static io.retroscope.cli.shell.PtyShell.CTRL_R;
import static io.retroscope.cli.shell.PtyShell.ENTER;
import static io.retroscope.cli.shell.PtyShell.PASTE_BEGINS;
import static io.retroscope.cli.shell.PtyShell.PASTE_ENDS;
import static io.retroscope.cli.shell.PtyShell.PROMPT;
import static io.retroscope.cli.shell.PtyShell.TAB;
import static io.retroscope.cli.shell.PtyShell.UP;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.process.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests the shell through a pseudo-terminal: it types keys and reads the screen. */
@Timeout(120)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "needs a terminal of POSIX")
class InteractiveShellTest {
  @TempDir static Path sharedHome;
  private static PtyShell shared;

  @TempDir private Path home;

  /** A shell of several tests, which leave its settings as they were, with an empty screen. */
  private static PtyShell cleanPrompt() throws IOException {
    if (shared == null || !shared.isAlive()) {
      shared = PtyShell.atPrompt(sharedHome);
    }
    shared.clear();
    return shared;
  }

  @AfterAll
  static void endShared() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void statement_overLines_continuesToItsSemicolon() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.enter("SELECT 1");
    shell.awaitLastLine(" *-> *");
    shell.enter("+ 2;");

    shell.awaitText("(1 row)");
    assertThat(shell.text()).contains("| SELECT 1\\n+ 2;");
  }

  @Test
  void typedAhead_beforeThePrompt_isRun() throws IOException {
    try (PtyShell shell = new PtyShell(home, ShellProcess.FAKE, Map.of())) {
      shell.type("early;" + ENTER);
      shell.awaitText("1 | early;");
      shell.awaitLastLine(PROMPT);
      assertThat(shell.text())
          .contains("Asking fake. Statements end with a semicolon; \\? for help, \\q to leave.");
    }
  }

  @Test
  void history_reverseSearchAndUp_findWhatAnEarlierShellRan() throws Exception {
    try (PtyShell first = PtyShell.atPrompt(home)) {
      first.enter("SELECT 'needle';");
      first.awaitText("(1 row)");
      first.enter("SHOW LOGS;");
      first.awaitLastLine(PROMPT + " *");
      first.enter("\\q");
      assertThat(first.exitCode()).isZero();
    }
    try (PtyShell second = PtyShell.atPrompt(home)) {
      second.type(CTRL_R + "needle");
      second.awaitText("SELECT 'needle';");
      second.type(ENTER);
      second.awaitText("| SELECT 'needle';");
      second.awaitLastLine(PROMPT);
      second.type(UP);
      second.awaitLastLine(PROMPT + " SELECT 'needle';");
      second.type(UP + UP);
      second.awaitLastLine(PROMPT + " SHOW LOGS;");
    }
  }

  @Test
  void completion_wordsLogsVariablesNodesFunctions_comeFromTheSession() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.type("SEL" + TAB);
    shell.awaitLastLine(PROMPT + " SELECT");
    shell.type("SPR" + TAB);
    shell.awaitLastLine(PROMPT + " SELECT Spread\\(");
    shell.type("r1) FROM s" + TAB);
    shell.awaitLastLine(PROMPT + " SELECT Spread\\(r1\\) FROM setd");
    shell.type("AT NODES zk1, zk" + TAB);
    shell.awaitText("nodes");
    shell.type(CTRL_C);
    shell.awaitLastLine(PROMPT);
    shell.type("SELECT level FROM my" + TAB);
    shell.awaitLastLine(PROMPT + " SELECT level FROM `my-log`");
    shell.type("AT NODES zk1, `" + TAB);
    shell.awaitText("AT NODES zk1, `zk-2`");
    shell.type(CTRL_C);
    shell.awaitLastLine(PROMPT);
    shell.type("SELECT lev" + TAB);
    shell.awaitLastLine(PROMPT + " SELECT level");
    shell.type(CTRL_C + "\\tim" + TAB);
    shell.awaitLastLine(PROMPT + " \\\\timing");
  }

  @Test
  void ctrlC_eachTime_discardsOneLine() throws IOException {
    PtyShell shell = cleanPrompt();
    // A second end of a line is a race, so it shows in about every other round.
    for (int round = 0; round < 8; round++) {
      String prefix = "line" + round + ".";
      List<String> lines = IntStream.range(0, 20).mapToObj(i -> prefix + i).toList();
      String last = "last" + round;
      shell.type(String.join(CTRL_C, lines) + CTRL_C + last); // At once, as keys typed fast.
      shell.awaitLastLine(PROMPT + " " + last);

      String[] discarded =
          Stream.concat(lines.stream(), Stream.of(last))
              .map(line -> PROMPT + " " + line)
              .toArray(String[]::new);
      assertThat(shell.text().lines().toList()).endsWith(discarded);
      shell.type(CTRL_C);
      shell.awaitLastLine(PROMPT);
    }
  }

  @Test
  void highlighting_keywords_areColouredUnlessNoColorIsSet() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.type("SELECT 'x'");
    shell.awaitText("SELECT 'x'");
    assertThat(shell.anyCell(InteractiveShellTest::isColoured)).isTrue();
    try (PtyShell plain = new PtyShell(home, ShellProcess.FAKE, Map.of("NO_COLOR", "1"))) {
      plain.awaitText(PROMPT);
      plain.type("SELECT 'x'");
      plain.awaitText("SELECT 'x'");
      assertThat(plain.anyCell(InteractiveShellTest::isColoured)).isFalse();
    }
  }

  private static boolean isColoured(long cell) {
    return ScreenTerminal.cellHasForeground(cell);
  }

  @Test
  void commands_each_doWhatHelpSays() throws Exception {
    Files.writeString(home.resolve("some.rql"), "included;\n");
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.enter("\\d");
      shell.awaitText("| SHOW LOGS;");
      shell.enter("\\d setd");
      shell.awaitText("| DESCRIBE `setd`;");
      shell.enter("\\i some.rql");
      shell.awaitText("| included;");
      shell.enter("\\timing");
      shell.awaitText("timing is on");
      shell.enter("\\x");
      shell.awaitText("expanded records are on");
      shell.enter("SHOW NODES;");
      shell.awaitText("-[ row 1 ]");
      shell.awaitText("text | SHOW NODES;");
      shell.awaitText("time: ");
      shell.enter("\\o out.txt");
      shell.enter("elsewhere;");
      shell.enter("\\o");
      shell.enter("here;");
      shell.awaitText("text | here;");
      assertThat(shell.text()).doesNotContain("text | elsewhere;");
      assertThat(home.resolve("out.txt")).content().contains("text | elsewhere;");
      shell.enter("exit");
      assertThat(shell.exitCode()).isZero();
    }
  }

  @Test
  void help_word_listsTheCommands() throws Exception {
    PtyShell shell = cleanPrompt();
    shell.enter("help spread");
    shell.awaitText("Spread(r)   the greatest value minus the least");
    shell.enter("help");
    shell.awaitText("\\watch [S [N]]");
    shell.awaitText("Ctrl-C cancels the line or the query");
  }

  @Test
  void watch_untilCtrlC_repeatsTheLastStatement() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.enter("SHOW NODES;");
    shell.awaitText("| SHOW NODES;");
    shell.enter("\\watch 0.1");
    shell.awaitMatch("(?s)(.*\\| SHOW NODES;){4}.*");
    shell.type(CTRL_C);
    shell.awaitText("cancelled");
    shell.awaitLastLine(PROMPT);
    assertThat(shell.isAlive()).isTrue();
  }

  @Test
  void prompt_ofTheNextLine_showsWhatIsOpen() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.enter("SELECT 1");
    shell.awaitLastLine("  -> *");
    shell.enter("+ 'a");
    shell.awaitLastLine("  '> *");
    shell.enter("b' /*");
    shell.awaitLastLine("  \\*> *");
    shell.enter("*/ + `");
    shell.awaitLastLine("  `> *");
    shell.enter("c`;");
    shell.awaitText("(1 row)");
  }

  @Test
  void word_thatBeginsNoStatement_isAnsweredAtOnce() throws IOException {
    PtyShell shell = cleanPrompt();
    int first = number(shell, "first;");
    shell.enter("wrong");
    shell.awaitText("error[RQL0203]: unknown variable \"wrong\"");
    shell.enter(";");
    shell.awaitLastLine(PROMPT);
    // The semicolon alone was not sent.
    assertThat(number(shell, "next;")).isEqualTo(first + 2);
  }

  /** The number of a statement among those that the shared shell's session was sent. */
  private static int number(PtyShell shell, String statement) throws IOException {
    shell.enter(statement);
    shell.awaitText(" | " + statement);
    Matcher row = Pattern.compile("(\\d+) \\| " + Pattern.quote(statement)).matcher(shell.text());
    assertThat(row.find()).isTrue();
    shell.awaitLastLine(PROMPT);
    return Integer.parseInt(row.group(1));
  }

  @Test
  void paste_severalStatements_areRunAsOneTextAndAnErrorEndsNone() throws IOException {
    PtyShell shell = cleanPrompt();
    int n = number(shell, "first;");
    shell.type(PASTE_BEGINS + "one;\nwrong;\n\\timing on\n\\timing off\ntwo;" + PASTE_ENDS);
    shell.awaitLastLine(" *-> two;");
    shell.type(ENTER);
    shell.awaitText("%d | one;".formatted(n + 1));
    shell.awaitText("error[RQL0203]");
    shell.awaitText("timing is on");
    shell.awaitText("%d | two;".formatted(n + 3));
    shell.awaitLastLine(PROMPT);
    shell.type(UP);
    shell.awaitLastLine(" *-> two;");
  }

  @Test
  void backslash_withinAPastedStatement_isNoCommand() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.type(PASTE_BEGINS + "SELECT {1, 2}\n\\q\nhelp\n{1};" + PASTE_ENDS);
    shell.awaitLastLine(" *-> \\{1};");
    shell.type(ENTER);
    shell.awaitText("| SELECT {1, 2}\\n\\q\\nhelp\\n{1};");
    assertThat(shell.isAlive()).isTrue();
    shell.enter("\\?");
    shell.awaitText("Commands, where no statement has begun");
  }

  @Test
  void formats_each_printsItsOwn() throws IOException {
    PtyShell shell = cleanPrompt();
    int n = number(shell, "first;");
    Map<String, String> rows = new LinkedHashMap<>();
    rows.put("vertical", "text | vertical;");
    rows.put("csv", (n + 2) + ",csv;");
    rows.put("tsv", "%-7dtsv;".formatted(n + 3)); // The terminal shows the tab as spaces.
    rows.put("json", "[\n{\"n\":%d,\"text\":\"json;\"}\n]".formatted(n + 4));
    rows.put("jsonl", "{\"n\":%d,\"text\":\"jsonl;\"}".formatted(n + 5));
    rows.put("markdown", "| ---: | --- |\n| %d | markdown; |".formatted(n + 6));
    rows.put("chart", "(nothing to draw: the result has no numbers or texts over time)");
    rows.put("aligned", " %d | aligned;".formatted(n + 8));
    for (Map.Entry<String, String> row : rows.entrySet()) {
      shell.enter("\\format " + row.getKey());
      shell.enter(row.getKey() + ";");
      shell.awaitText(row.getValue());
      shell.awaitLastLine(PROMPT);
    }
  }

  @Test
  void format_chart_fillsTheTerminal() throws IOException {
    Path events = home.resolve("events.ndjson");
    Files.writeString(
        events,
        """
        {"node":"a","log":"l","hlc":1000000,"set":{"x":1}}
        {"node":"b","log":"l","hlc":2000000,"set":{"x":1}}
        {"node":"a","log":"l","hlc":3000000,"set":{"x":9}}
        """);
    try (PtyShell shell = new PtyShell(home, events.toString(), Map.of())) {
      shell.awaitText("Asking events.ndjson.");
      shell.enter("\\format chart");
      shell.enter("SELECT x FROM l;");
      shell.awaitText("x: 1 to 9\na " + "▁".repeat(97) + "█\nb " + " ".repeat(48) + "▁");
    }
  }

  @Test
  void wideTable_becomesRecordsUnlessSwitchedOff() throws IOException {
    String statement = "'" + "x".repeat(92) + "';";
    Files.writeString(sharedHome.resolve("wide.rql"), statement + "\n");
    PtyShell shell = cleanPrompt();
    int n = number(shell, "first;");
    shell.enter("\\i wide.rql");
    shell.awaitText(
        "-[ row 1 ]%s\nn    | %d\ntext | '%s\n".formatted("-".repeat(90), n + 1, "x".repeat(92)));
    shell.enter("\\x off");
    shell.clear();
    shell.enter("\\i wide.rql");
    shell.awaitMatch("(?s).* n +\\| text.*");
    shell.enter("\\x auto");
    shell.awaitText("tables fit the terminal");
  }

  @Test
  void manyRows_atThePrompt_areCutUntilAllOrScreensAreAskedFor() throws IOException {
    try (PtyShell shell = new PtyShell(home, manyRows().toString(), Map.of())) {
      shell.awaitText(PROMPT);
      shell.enter("SELECT x@a FROM l;");
      shell.awaitText("10 more rows: \\rows 1000 shows more, \\rows all shows all");
      assertThat(shell.text()).contains("(40 rows").doesNotContain("|  41");
      shell.enter("\\rows all");
      shell.awaitText("all rows are shown");
      shell.enter("SELECT x@a FROM l;");
      shell.awaitText("(50 rows");
      assertThat(shell.text()).contains("|  50").doesNotContain("more rows");

      shell.clear();
      shell.enter("\\pager");
      shell.awaitText("q leaves them");
      shell.enter("SELECT x@a FROM l;");
      shell.awaitText("|  30\n");
      assertThat(shell.text()).doesNotContain("|  50");
      shell.type(" ");
      shell.awaitText("(50 rows");
      shell.type("q");
      shell.awaitLastLine(PROMPT);
      shell.enter("SELECT x@a FROM l LIMIT 2;");
      shell.awaitText("(2 rows");
      shell.awaitLastLine(PROMPT);
    }
  }

  @Test
  void pager_ofTheEnvironment_getsTheWholeAnswer() throws IOException {
    try (PtyShell shell =
        new PtyShell(home, manyRows().toString(), Map.of("PAGER", "cat > paged.txt; echo seen"))) {
      shell.awaitText(PROMPT);
      shell.enter("SELECT x@a FROM l;");
      shell.awaitText("seen");
      shell.awaitLastLine(PROMPT);
      assertThat(home.resolve("paged.txt")).content().contains("|  50\n(50 rows");
    }
    try (PtyShell shell =
        new PtyShell(home, manyRows().toString(), Map.of("PAGER", "no-such-program"))) {
      shell.awaitText(PROMPT);
      shell.enter("SELECT x@a FROM l;");
      shell.awaitText("error: PAGER is \"no-such-program\", which is not there");
      shell.awaitLastLine(PROMPT);
    }
  }

  private Path manyRows() throws IOException {
    Path events = home.resolve("events.ndjson");
    Files.writeString(
        events,
        IntStream.rangeClosed(1, 50)
            .mapToObj(
                i ->
                    "{\"node\":\"a\",\"log\":\"l\",\"hlc\":%d,\"set\":{\"x\":%d}}\n"
                        .formatted(i * 1_000_000L, i))
            .collect(Collectors.joining()));
    return events;
  }

  @Test
  void helpAndQuit_withinAStatement_work() throws Exception {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.type("SELECT 1" + ENTER);
      shell.awaitLastLine(" *-> *");
      shell.type("help" + ENTER);
      shell.awaitText("A statement ends with a semicolon");
      // The statement is still there, to be continued.
      shell.awaitLastLine(" *-> *");
      assertThat(shell.text()).containsPattern("rql> SELECT 1\\s+->\\s*$");
      shell.type("quit" + ENTER);
      assertThat(shell.exitCode()).isZero();
    }
  }

  @Test
  void play_historicalQuery_isWrittenToAFile() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.enter("SELECT r1 FROM setd PLAY piano;");
    shell.awaitText("\\play FILE.wav writes the sound of this query (or FILE.mid).");
    shell.enter("\\play lag.wav");
    shell.awaitText("wrote lag.wav");
    assertThat(sharedHome.resolve("lag.wav")).hasContent("SELECT r1 FROM setd PLAY piano;");
  }

  @Test
  void stream_saysThatItWaitsAndHowItIsHeard() throws IOException {
    PtyShell shell = cleanPrompt();
    shell.enter("SELECT STREAM r1 FROM setd PLAY 'a b';");
    shell.awaitText("Rows appear as they happen; Ctrl-C ends the query.");
    shell.awaitText(
        "./retroscope listen --server fake 'SELECT STREAM r1 FROM setd PLAY '\\''a b'\\'';'");
  }

  @Test
  void command_longQuery_showsProgressAndTakesItAway() throws Exception {
    try (PtyShell shell =
        new PtyShell(home, List.of(ShellProcess.FAKE, "watched;"), "", Map.of())) {
      shell.awaitText(" cuts, ");
      shell.awaitText("/s, at 1970-01-01T00:00:");
      Files.createFile(home.resolve(FakeSession.SEEN.getFileName()));
      assertThat(shell.exitCode()).isZero();
      assertThat(shell.text()).contains(" 1 | watched;").doesNotContain(" cuts, ");
    }
  }

  @Test
  void command_errorsThatAreNoTerminal_getNoProgress() throws Exception {
    Path err = home.resolve("err.txt");
    try (PtyShell shell =
        new PtyShell(home, List.of(ShellProcess.FAKE, "slow;"), "2>" + err, Map.of())) {
      assertThat(shell.exitCode()).isZero();
      assertThat(shell.text()).contains(" 1 | slow;");
    }
    assertThat(err).isEmptyFile();
  }

  @Test
  void rqlrc_inTheHomeFolder_runsFirst() throws IOException {
    Files.writeString(home.resolve(".rqlrc"), "-- my taste\n\\x\nfrom home;\n");
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      assertThat(shell.text()).contains("text | from home;");
    }
  }

  @Test
  void rqlrc_withAnError_saysWhereAndGoesToThePrompt() throws IOException {
    Files.writeString(home.resolve(".rqlrc"), "\\x\nwrong;\n");
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.awaitText(".rqlrc:2: error[RQL0203]");
      shell.awaitText(".rqlrc: the rest was not run");
    }
  }

  @Test
  void error_statement_isShownAndTheShellContinues() throws IOException {
    PtyShell shell = cleanPrompt();
    int first = number(shell, "first;");
    shell.enter("wrong;");
    shell.awaitText("error[RQL0203]: unknown variable \"wrong\"");
    shell.enter("lost;");
    shell.awaitText("error: no connection to fake: is the server running?");
    // No statement was repeated.
    assertThat(number(shell, "right;")).isEqualTo(first + 3);
  }

  @Test
  void server_fromTheEnvironment_isAskedAndItsAbsenceEndsTheShell() throws Exception {
    String server = "127.0.0.1:1"; // Nothing listens there.
    try (PtyShell shell = new PtyShell(home, "", Map.of("RETROSCOPE_SERVER", server))) {
      shell.awaitText("error: no connection to http://" + server + ": is the server running?");
      shell.awaitText("help: ./retroscope server starts one; --server selects another,");
      assertThat(shell.exitCode()).isEqualTo(ExitCode.CONNECTION_LOST.number());
    }
  }
}
