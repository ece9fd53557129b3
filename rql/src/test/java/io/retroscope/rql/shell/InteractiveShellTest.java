package io.retroscope.rql.shell;

import static io.retroscope.rql.shell.PtyShell.CTRL_C;
import static io.retroscope.rql.shell.PtyShell.CTRL_D;
import static io.retroscope.rql.shell.PtyShell.CTRL_R;
import static io.retroscope.rql.shell.PtyShell.ENTER;
import static io.retroscope.rql.shell.PtyShell.PROMPT;
import static io.retroscope.rql.shell.PtyShell.TAB;
import static io.retroscope.rql.shell.PtyShell.UP;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Drives the shell as a person does: keys into a pseudo-terminal, eyes on its screen. */
@Timeout(120)
@DisabledOnOs(OS.WINDOWS)
class InteractiveShellTest {
  @TempDir private Path home;

  @Test
  void statement_overLines_goesOnUntilItsSemicolon() throws IOException {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      assertThat(shell.text()).contains("Asking fake. \\? for help, \\q to leave.");
      shell.enter("SELECT 1");
      shell.awaitLastLine(" *-> *");
      shell.enter("+ 2;");

      shell.awaitText("(1 row)");
      assertThat(shell.text()).contains("| SELECT 1\\n+ 2;");
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
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.type("SEL" + TAB);
      shell.awaitLastLine(PROMPT + " SELECT");
      shell.type("SPR" + TAB);
      shell.awaitLastLine(PROMPT + " SELECT Spread\\(");
      shell.type("r1) FROM s" + TAB);
      shell.awaitLastLine(PROMPT + " SELECT Spread\\(r1\\) FROM setd");
      shell.type("AT NODES zk1, `" + TAB);
      shell.awaitText("AT NODES zk1, `zk-2`");
      shell.type(CTRL_C);
      shell.awaitLastLine(PROMPT);
      shell.type("SELECT lev" + TAB);
      shell.awaitLastLine(PROMPT + " SELECT level");
      shell.type(CTRL_C + "\\tim" + TAB);
      shell.awaitLastLine(PROMPT + " \\\\timing");
    }
  }

  @Test
  void highlighting_keywords_areColouredUnlessNoColorIsSet() throws IOException {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.type("SELECT 'x'");
      shell.awaitText("SELECT 'x'");
      assertThat(shell.anyCell(InteractiveShellTest::isColoured)).isTrue();
    }
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
      shell.enter("quit");
      assertThat(shell.exitCode()).isZero();
    }
  }

  @Test
  void help_word_listsTheCommands() throws Exception {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.enter("help");
      shell.awaitText("\\watch [S [N]]");
      shell.awaitText("Ctrl-C gives up the line or the query");
      shell.enter("exit");
      assertThat(shell.exitCode()).isZero();
    }
  }

  @Test
  void watch_untilCtrlC_repeatsTheLastStatement() throws IOException {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.enter("SHOW NODES;");
      shell.awaitText("1 | SHOW NODES;");
      shell.enter("\\watch 0.1");
      shell.awaitText("4 | SHOW NODES;");
      shell.type(CTRL_C);
      shell.awaitText("cancelled");
      shell.awaitLastLine(PROMPT);
      assertThat(shell.isAlive()).isTrue();
    }
  }

  @Test
  void ctrlC_lineAndQuery_givesThemUpAndNeverExits() throws IOException {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.type("SELECT not finished");
      shell.awaitLastLine(".*not finished");
      shell.type(CTRL_C);
      shell.awaitLastLine(PROMPT);
      shell.type(CTRL_C);
      shell.enter("SELECT endless FROM setd;");
      shell.awaitText(" cuts, ");
      shell.awaitText("s left");
      shell.type(CTRL_C);
      shell.awaitText("cancelled");
      shell.awaitLastLine(PROMPT);
      assertThat(shell.text()).doesNotContain(" cuts, ");
      shell.enter("SHOW LOGS;");
      shell.awaitText("2 | SHOW LOGS;");
    }
  }

  @Test
  void ctrlD_emptyLine_exits() throws Exception {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.type(CTRL_D);
      assertThat(shell.exitCode()).isZero();
    }
  }

  @Test
  void rqlrc_inTheHomeFolder_runsFirst() throws IOException {
    Files.writeString(home.resolve(".rqlrc"), "-- my taste\n\\x\nfrom home;\n");
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      assertThat(shell.text()).contains("text | from home;");
    }
  }

  @Test
  void error_statement_isShownAndTheShellGoesOn() throws IOException {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.enter("wrong;");
      shell.awaitText("error[RQL0203]: unknown variable \"wrong\"");
      shell.enter("lost;");
      shell.awaitText("error: no connection to fake: is the server running?");
      shell.enter("right;");
      shell.awaitText("3 | right;");
    }
  }

  @Test
  void server_fromTheEnvironment_isAskedAndItsAbsenceEndsTheShell() throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    String server = "127.0.0.1:" + port;
    try (PtyShell shell = new PtyShell(home, "", Map.of("RETROSCOPE_SERVER", server))) {
      shell.awaitText("error: no connection to http://" + server + ": is the server running?");
      assertThat(shell.exitCode()).isEqualTo(ExitCode.CONNECTION_LOST.number());
    }
  }
}
