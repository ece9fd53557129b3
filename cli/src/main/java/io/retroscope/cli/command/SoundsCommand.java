// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.BankOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.sound.BankList;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command that lists and plays the patches of the bank, and warns of rules that sound alike.
 */
@Command(
    name = "sounds",
    description =
        "List and play the sounds for PLAY, or warn of statements in files that sound alike.",
    footer = {"", "Examples:", "  retroscope sounds", "  retroscope sounds staleness.rql"})
public final class SoundsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE.rql",
      description = "Soundscapes to check: files of statements with PLAY.")
  private List<Path> files = List.of();

  @Option(
      names = "--to",
      paramLabel = "OUT.wav",
      description = "Write each sound at three pitches to a file instead.")
  private Optional<Path> to = Optional.empty();

  @Option(names = "--list", description = "List the sounds without playing them.")
  private boolean listOnly;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Sound on the device whose name contains this.")
  private Optional<String> device = Optional.empty();

  @Mixin private BankOption bank = new BankOption();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    BankList.alike(statements()).forEach(line -> err.println("warning: " + line));
    if (to.isPresent()) {
      BankList.write(to.get(), bank.bank());
      out.println("wrote " + to.get() + ": 12 sounds at keys 48, 60 and 72");
    } else if (listOnly) {
      BankList.lines().forEach(out::println);
    } else if (files.isEmpty()) {
      BankList.play(device, bank.bank(), out, err);
    }
    return ExitCode.OK.number();
  }

  private List<Query> statements() throws IOException {
    List<Query> statements = new ArrayList<>();
    for (Path file : files) {
      for (Statement statement : new RqlParser().parseScript(Files.readString(file))) {
        if (!(statement instanceof Query query)) {
          throw new CommandException(ExitCode.USAGE, file + ": only SELECT has a sound");
        }
        statements.add(query);
      }
    }
    return statements;
  }
}
