package io.retroscope.cli.shell;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.sink.Credentials;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * How the shell is called. Without commands and script it reads statements from its input: from a
 * terminal with a prompt, from anything else as a script.
 *
 * @param server the log server to ask; without it and a file {@code RETROSCOPE_SERVER}, else the
 *     default address
 * @param file a file of events to ask in place of a server
 * @param alignment works out the clocks from a file's events
 * @param commands statements or backslash commands, run one after the other
 * @param script a file of statements, run after the commands
 * @param format how results are printed
 * @param sound writes what queries play
 * @param ignoreErrors whether a failed statement does not end a script
 * @param environment the process's environment: {@code RETROSCOPE_SERVER}, {@code NO_COLOR}, {@code
 *     HOME}, and those that {@link Credentials} reads
 */
public record ShellOptions(
    Optional<URI> server,
    Optional<Path> file,
    Function<Collection<Event>, ClockOffsets> alignment,
    List<String> commands,
    Optional<Path> script,
    OutputFormat format,
    SoundWriter sound,
    boolean ignoreErrors,
    Map<String, String> environment) {
  /** Copies the collections. */
  public ShellOptions {
    commands = List.copyOf(commands);
    environment = Map.copyOf(environment);
  }

  /** Whether colour is wanted; see no-color.org. */
  boolean color() {
    return environment.getOrDefault("NO_COLOR", "").isEmpty();
  }

  /** The user's home folder. */
  Path home() {
    return Path.of(environment.getOrDefault("HOME", "."));
  }
}
