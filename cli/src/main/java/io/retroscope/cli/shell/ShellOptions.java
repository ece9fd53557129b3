// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.client.Session;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.rule.Rule;
import io.retroscope.sink.Credentials;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The options of the shell. Without commands and script it reads statements from its input: at a
 * prompt from a terminal, otherwise as a script.
 *
 * @param server the log server; without a server and a file, {@code RETROSCOPE_SERVER} or else the
 *     default address
 * @param files opens files of events to query instead of a server
 * @param commands statements or backslash commands, run in order
 * @param script a file of statements, run after the commands
 * @param format the format of results
 * @param sound writes the sound of queries
 * @param rules the rules whose episodes EXPLAIN EPISODE explains
 * @param ignoreErrors whether a script continues after a failed statement
 * @param environment the process's environment: {@code RETROSCOPE_SERVER}, {@code NO_COLOR}, {@code
 *     HOME}, and the variables that {@link Credentials} reads
 */
public record ShellOptions(
    Optional<URI> server,
    Optional<FileOpening> files,
    List<String> commands,
    Optional<Path> script,
    OutputFormat format,
    SoundWriter sound,
    List<Rule> rules,
    boolean ignoreErrors,
    Map<String, String> environment) {
  /** Opens files of events. */
  public interface FileOpening {
    /**
     * Opens the files.
     *
     * @throws IOException if one does not exist
     */
    Session open() throws IOException;
  }

  /** Creates the options of a shell without rules. */
  ShellOptions(
      Optional<URI> server,
      Optional<FileOpening> files,
      List<String> commands,
      Optional<Path> script,
      OutputFormat format,
      SoundWriter sound,
      boolean ignoreErrors,
      Map<String, String> environment) {
    this(server, files, commands, script, format, sound, List.of(), ignoreErrors, environment);
  }

  /** Copies the collections. */
  public ShellOptions {
    rules = List.copyOf(rules);
    commands = List.copyOf(commands);
    environment = Map.copyOf(environment);
  }

  /** Whether to use colour; see no-color.org. */
  boolean color() {
    return environment.getOrDefault("NO_COLOR", "").isEmpty();
  }

  /** The user's home folder. */
  Path home() {
    return Path.of(environment.getOrDefault("HOME", "."));
  }
}
