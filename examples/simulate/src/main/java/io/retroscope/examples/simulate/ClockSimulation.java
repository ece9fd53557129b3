// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.cli.command.Simulation;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A simulation of clocks that averages over many runs, and writes tables and figures. */
abstract class ClockSimulation implements Simulation {
  private static final int MAX_THREADS = 1_024;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed gives the same figures (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "The number of threads (default: all cores); it does not affect the figures.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "alignment",
      description = "The folder for the tables and figures (default: ${DEFAULT-VALUE}).")
  private Path folder = Path.of("alignment");

  @Override
  public final Integer call() throws IOException, InterruptedException {
    try {
      require("--threads", threads, 1, MAX_THREADS);
      prepare();
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
    run(Files.createDirectories(folder));
    return ExitCode.OK.number();
  }

  /**
   * Makes the models from the options.
   *
   * @throws IllegalArgumentException if a value is out of range
   */
  abstract void prepare();

  /** Measures, and writes tables and figures to a folder that exists. */
  abstract void run(Path existingFolder) throws IOException, InterruptedException;

  final long seed() {
    return seed;
  }

  final int threads() {
    return threads;
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** The progress of a part, on a terminal. */
  final PercentLine progress(String part) {
    return new PercentLine(spec.commandLine().getErr(), part);
  }

  /**
   * Checks an option's range.
   *
   * @throws IllegalArgumentException if the value is out of range
   */
  static void require(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must lie in %d to %d: %d".formatted(option, least, most, value));
    }
  }
}
