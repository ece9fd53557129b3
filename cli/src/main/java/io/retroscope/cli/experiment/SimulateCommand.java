// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.experiment;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command for experiments on simulated clocks. */
@Command(
    name = "simulate",
    description = "Measure the accuracy of clock alignment in simulations.",
    synopsisSubcommandLabel = "EXPERIMENT",
    subcommands = {
      SimulateAlignmentCommand.class,
      SimulateDriftCommand.class,
    },
    footer = {
      "",
      "Example:",
      "  retroscope simulate alignment --out ./alignment",
    })
public final class SimulateCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "an experiment is missing");
  }
}
