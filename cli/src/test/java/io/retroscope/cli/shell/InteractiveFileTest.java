// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import static io.retroscope.cli.shell.PtyShell.ENTER;
import static io.retroscope.cli.shell.PtyShell.PROMPT;
import static io.retroscope.cli.shell.PtyShell.TAB;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests when the shell reads a file, through a pseudo-terminal. */
@Timeout(120)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "needs a terminal of POSIX")
class InteractiveFileTest {
  private static final String EVENTS =
      """
      {"node":"zk1","log":"setd","hlc":"1795200000000000.0","set":{"r1":1}}
      """;

  @TempDir private Path home;

  /** The file gets its events after the prompt has appeared. */
  @Test
  void prompt_ofAFile_appearsBeforeTheFileIsRead() throws IOException {
    Path file = Files.writeString(home.resolve("e.ndjson"), "not events\n");
    try (PtyShell shell = new PtyShell(home, file.toString(), Map.of())) {
      shell.awaitLastLine(PROMPT);
      Files.writeString(file, EVENTS);
      shell.type("SELECT r1@zk1 FROM se" + TAB);
      shell.awaitLastLine(PROMPT + " SELECT r1@zk1 FROM setd");
      shell.type("AT NODES z" + TAB);
      shell.awaitLastLine(PROMPT + " SELECT r1@zk1 FROM setd AT NODES zk1");
      shell.type(";" + ENTER);
      shell.awaitText("(1 row)");
    }
  }

  @Test
  void prompt_ofAFileWithoutEvents_reportsItAtTheFirstStatement() throws IOException {
    Path file = Files.writeString(home.resolve("e.ndjson"), "not events\n");
    try (PtyShell shell = new PtyShell(home, file.toString(), Map.of())) {
      shell.awaitLastLine(PROMPT);
      shell.type("SELECT a FROM s" + TAB);
      shell.awaitLastLine(PROMPT + " SELECT a FROM s");
      shell.type(";" + ENTER);
      shell.awaitText("e.ndjson");
      shell.awaitLastLine(PROMPT);
    }
  }
}
