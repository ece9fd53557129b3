// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import io.retroscope.cli.Retroscope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Writes the completion of bash and zsh, and the sources of the manual pages, from the definitions
 * of the commands.
 */
public final class ShellFiles {
  private static final String NAME = "retroscope";

  private ShellFiles() {}

  /**
   * Writes {@code completions/retroscope} and {@code manual/*.adoc}.
   *
   * @param args the folder to write to
   * @throws IOException if it cannot be written to
   */
  public static void main(String[] args) throws IOException {
    Path folder = Path.of(args[0]);
    CommandLine command = Retroscope.commandLine();

    Path completions = Files.createDirectories(folder.resolve("completions"));
    Files.writeString(completions.resolve(NAME), AutoComplete.bash(NAME, command));

    Path manual = Files.createDirectories(folder.resolve("manual"));
    List<CommandSpec> pages = new ArrayList<>();
    collect(command, pages);
    int exitCode =
        ManPageGenerator.generateManPage(
            manual.toFile(), null, new boolean[0], true, pages.toArray(CommandSpec[]::new));
    if (exitCode != 0) {
      throw new IOException("the manual pages cannot be written to " + manual);
    }
  }

  private static void collect(CommandLine command, List<CommandSpec> pages) {
    pages.add(command.getCommandSpec());
    command.getSubcommands().values().forEach(sub -> collect(sub, pages));
  }
}
