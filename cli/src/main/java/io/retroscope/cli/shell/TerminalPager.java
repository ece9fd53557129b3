// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jline.builtins.Less;
import org.jline.builtins.Source;
import org.jline.terminal.Terminal;

/** The pager of the variable {@code PAGER}, or JLine's own {@code less}. Used by one thread. */
final class TerminalPager implements Pager {
  private final Terminal terminal;
  private final Optional<String> command;

  /**
   * Creates a pager.
   *
   * @param command a shell's command that shows its standard input; without one, JLine's
   */
  TerminalPager(Terminal terminal, Optional<String> command) {
    this.terminal = terminal;
    this.command = command;
  }

  @Override
  public int height() {
    return Math.max(2, terminal.getSize().getRows() - 1);
  }

  @Override
  public void show(Path text) throws IOException {
    try {
      if (command.isEmpty()) {
        new Less(terminal, Path.of("")).run(new Source.PathSource(text, "answer"));
        return;
      }
      terminal.pause(true);
      try {
        Process process =
            new ProcessBuilder("sh", "-c", command.get())
                .inheritIO()
                .redirectInput(text.toFile())
                .start();
        int exitCode = process.waitFor();
        if (exitCode == 127) {
          throw new IOException("PAGER is \"" + command.get() + "\", which is not there");
        }
      } finally {
        terminal.resume();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
