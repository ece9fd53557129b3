package io.retroscope.cli.command;

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
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that lists the patches of the bank, and warns of rules that sound alike. */
@Command(
    name = "sounds",
    description = "List the sounds for PLAY, and warn of statements that sound alike.",
    footer = {"", "Example:", "  retroscope sounds staleness.rql --to bank.wav"})
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
      description = "Write each sound at three pitches to a file.")
  private Optional<Path> to = Optional.empty();

  @Override
  public Integer call() throws IOException {
    PrintWriter out = spec.commandLine().getOut();
    if (files.isEmpty()) {
      BankList.lines().forEach(out::println);
    }
    List<Query> statements = new ArrayList<>();
    for (Path file : files) {
      for (Statement statement : new RqlParser().parseScript(Files.readString(file))) {
        if (!(statement instanceof Query query)) {
          throw new CommandException(ExitCode.USAGE, file + ": only SELECT has a sound");
        }
        statements.add(query);
      }
    }
    BankList.alike(statements)
        .forEach(line -> spec.commandLine().getErr().println("warning: " + line));
    if (to.isPresent()) {
      BankList.write(to.get());
      out.println("wrote " + to.get() + ": 12 sounds at keys 48, 60 and 72");
    }
    return ExitCode.OK.number();
  }
}
