// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The command that runs simulations, of which each is a {@link Simulation} on the class path. Only
 * the start script of the source tree builds them.
 */
@Command(
    name = "simulate",
    description = {
      "Simulate clocks and protocols, and compare answers with the simulated truth.",
      "Without a name: list the simulations."
    },
    synopsisSubcommandLabel = "[NAME]",
    modelTransformer = SimulateCommand.FoundSimulations.class,
    footer = {
      "",
      "Example:",
      "  retroscope simulate alignment --out ./alignment",
    })
public final class SimulateCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Adds the simulations of the class path. Without any, all arguments lead to the error. */
  static final class FoundSimulations implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec spec) {
      for (Simulation simulation : ServiceLoader.load(Simulation.class)) {
        CommandLine line = new CommandLine(simulation);
        spec.addSubcommand(line.getCommandName(), line);
      }
      if (spec.subcommands().isEmpty()) {
        spec.parser().unmatchedArgumentsAllowed(true);
      }
      return spec;
    }
  }

  /** Lists the simulations. */
  @Override
  public void run() {
    if (spec.subcommands().isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE,
          "the simulations are not in this archive: run ./retroscope simulate in the source tree");
    }
    PrintWriter out = spec.commandLine().getOut();
    spec.subcommands()
        .forEach(
            (name, simulation) ->
                out.println(
                    String.format(
                        Locale.ROOT,
                        "  %-12s %s",
                        name,
                        simulation.getCommandSpec().usageMessage().description()[0])));
    out.println("retroscope simulate NAME runs one; simulate NAME --help shows its options.");
  }
}
