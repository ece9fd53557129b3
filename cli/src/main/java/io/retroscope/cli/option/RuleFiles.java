// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Parameters;

/** The files of rules and of events that a command is given. */
public final class RuleFiles {
  private static final String RULES = ".rql";

  @Parameters(
      arity = "1..*",
      paramLabel = "RULES.rql|EVENTS",
      description =
          "Files of CREATE RULE statements, or folders of such files; and files of events (without"
              + " any: the server).")
  private List<Path> arguments = List.of();

  /** The files of events among the arguments. */
  public List<Path> events() {
    return arguments.stream().filter(file -> rules(file).isEmpty()).toList();
  }

  /**
   * The rules.
   *
   * @return at least one rule or fault
   * @throws CommandException if a file cannot be read, or there is no rule
   */
  public RuleSet rules() {
    return read(arguments);
  }

  /**
   * Reads the files of rules among some files and folders.
   *
   * @throws CommandException as {@link #rules()}
   */
  public static RuleSet read(List<Path> arguments) {
    RuleSet set = new RuleSet();
    for (Path argument : arguments) {
      for (Path file : rules(argument)) {
        try {
          set.add(file.toString(), Files.readString(file));
        } catch (IOException e) {
          throw new CommandException(
              ExitCode.USAGE, "cannot read " + file + ": " + FileProblem.reason(e), e);
        }
      }
    }
    if (set.rules().isEmpty() && set.faults().isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE,
          "no rule is given: name a file of CREATE RULE statements (*.rql), such as: CREATE RULE"
              + " one_leader AS (NEVER (SELECT role FROM app WHEN COUNT n IN NODES : (role@n ="
              + " 'leader') > 1));");
    }
    return set;
  }

  /** The files of rules that an argument means: itself, or those directly in a folder. */
  private static List<Path> rules(Path argument) {
    if (argument.toString().endsWith(RULES)) {
      return List.of(argument);
    }
    if (!Files.isDirectory(argument)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(argument)) {
      return files.filter(file -> file.toString().endsWith(RULES)).sorted().toList();
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot read " + argument + ": " + FileProblem.reason(e), e);
    }
  }
}
