// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static io.retroscope.cli.shell.PtyShell.CTRL_C;
import static io.retroscope.cli.shell.PtyShell.CTRL_D;
import static io.retroscope.cli.shell.PtyShell.ENTER;
import static io.retroscope.cli.shell.PtyShell.PROMPT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests Ctrl-C and Ctrl-D in the shell, through a pseudo-terminal. */
@Timeout(120)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "needs a terminal of POSIX")
class InteractiveEndTest {
  @TempDir private Path home;

  @Test
  void keys_lineQueryAndScript_giveThemUpAndDoNotExit() throws IOException {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.type("SELECT not finished");
      shell.awaitLastLine(".*not finished");
      shell.type(CTRL_C);
      shell.awaitLastLine(PROMPT);
      shell.type(CTRL_C);
      shell.enter("SELECT endless FROM setd;");
      shell.awaitText(" cuts, ");
      shell.awaitText("/s, at 1970-01-01T00:00:");
      shell.awaitText("%, ");
      shell.awaitText("s left");
      shell.type(CTRL_C);
      shell.awaitText("cancelled");
      shell.awaitLastLine(PROMPT);
      assertThat(shell.text()).doesNotContain(" cuts, ");
      shell.enter("SHOW LOGS;");
      shell.awaitText("2 | SHOW LOGS;");

      checkScript(shell);
      checkBehindText(shell);
    }
  }

  /** It ends all of a script. */
  private void checkScript(PtyShell shell) throws IOException {
    Files.writeString(home.resolve("two.rql"), "endless;\nnever;\n");
    shell.clear();
    shell.enter("\\i two.rql");
    shell.awaitText(" cuts, ");
    shell.type(CTRL_C);
    shell.awaitText("cancelled");
    shell.awaitLastLine(PROMPT);
    shell.enter("next;");
    shell.awaitText("4 | next;");
    assertThat(shell.text()).doesNotContain("never;");
  }

  /** Ctrl-D behind text neither exits nor disturbs. */
  private static void checkBehindText(PtyShell shell) {
    shell.clear();
    shell.type("SELECT 1");
    shell.type(CTRL_D + " + 2;");
    shell.awaitLastLine(PROMPT + " SELECT 1 \\+ 2;");
    shell.type(ENTER);
    shell.awaitText("5 | SELECT 1 + 2;");
  }

  @Test
  void ctrlC_terminalWithoutAnEditor_doesNotExit() throws IOException {
    try (PtyShell shell = new PtyShell(home, ShellProcess.FAKE, Map.of("TERM", "dumb"))) {
      shell.awaitText(PROMPT);
      shell.type("given up");
      shell.awaitLastLine(PROMPT + " given up");
      shell.type(CTRL_C);
      shell.awaitLastLine(PROMPT); // What is typed earlier may be given up as well.
      shell.type("endless;\n");
      shell.awaitText(" cuts, ");
      shell.type(CTRL_C);
      shell.awaitText("cancelled");
      shell.awaitLastLine(PROMPT);
      shell.type("after;\n");
      shell.awaitText("2 | after;");
      assertThat(shell.isAlive()).isTrue();
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
  void ctrlD_emptyLineOfAStatement_exits() throws Exception {
    try (PtyShell shell = PtyShell.atPrompt(home)) {
      shell.enter("SELECT 1");
      shell.awaitLastLine(" *-> *");
      shell.type(CTRL_D);
      assertThat(shell.exitCode()).isZero();
    }
  }
}
