// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jline.terminal.Terminal;

/** The other programs that a shell runs, which share its terminal. Used by one thread. */
final class Subprocess {
  private final Optional<Terminal> terminal;
  private final Map<String, String> environment;

  /**
   * Creates a runner.
   *
   * @param terminal that of the prompt; a script has none
   * @param environment of which {@code VISUAL} and {@code EDITOR} are used
   */
  Subprocess(Optional<Terminal> terminal, Map<String, String> environment) {
    this.terminal = terminal;
    this.environment = environment;
  }

  /** Whether a user can edit. */
  boolean hasTerminal() {
    return terminal.isPresent();
  }

  /**
   * Runs a command of the system's shell; returns its exit code.
   *
   * @throws IOException if it cannot be run
   */
  int run(String command) throws IOException {
    return run(new ProcessBuilder("sh", "-c", command));
  }

  /**
   * Opens the user's editor with a text; returns the text that the user saved.
   *
   * @throws IOException if that is not possible
   */
  String edit(String text) throws IOException {
    Path file = Files.createTempFile("retroscope-statement", ".rql");
    try {
      Files.writeString(file, text);
      // The variable may have options; the file is the last word.
      int exitCode =
          run(new ProcessBuilder("sh", "-c", editor() + " \"$1\"", "sh", file.toString()));
      if (exitCode != 0) {
        throw new IOException("the editor \"%s\" ended with code %d".formatted(editor(), exitCode));
      }
      return Files.readString(file, StandardCharsets.UTF_8);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  private String editor() {
    for (String name : new String[] {"VISUAL", "EDITOR"}) {
      String editor = environment.getOrDefault(name, "");
      if (!editor.isBlank()) {
        return editor;
      }
    }
    return "vi";
  }

  private int run(ProcessBuilder program) throws IOException {
    try {
      if (terminal.isPresent()) {
        terminal.get().pause(true);
      }
      try {
        return program.inheritIO().start().waitFor();
      } finally {
        terminal.ifPresent(Terminal::resume);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
