// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.experiment;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.simulation.DelayModel;
import io.retroscope.server.align.simulation.DriftExperiment;
import io.retroscope.server.align.simulation.DriftExperiment.Case;
import io.retroscope.server.align.simulation.DriftExperiment.Finding;
import io.retroscope.server.align.simulation.DriftModel;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that measures the alignment of clocks that drift and step. */
@Command(
    name = "drift",
    description = {
      "Measure the alignment of clocks that drift and step.",
      "Compare a log server's offsets of simulated clocks with the true ones every second.",
      "Write drift.csv and drift.svg."
    },
    footer = {
      "",
      "Examples:",
      "  retroscope simulate drift --out ./alignment",
      "  retroscope simulate drift --delay-model lan --step-ms 0 --rho 50,100,200",
      "  retroscope simulate drift --runs 300",
    })
final class SimulateDriftCommand implements Callable<Integer> {
  private static final int MAX_RUNS = 1_000_000;
  private static final double MAX_MINIMUM_DELAY_MILLIS = 10_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private SimulationOptions options = new SimulationOptions();

  @Option(
      names = "--delay-model",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "uniform:3..10,exponential:3+4,lan",
      description =
          "The delay of messages, in ms: uniform:A..B, exponential:A+B (at least A, on average"
              + " B more), lan (default: ${DEFAULT-VALUE}).")
  private List<String> delays = List.of();

  @Option(
      names = "--rate-ppm",
      paramLabel = "PPM",
      defaultValue = "50",
      description =
          "The largest rate error of a clock, in parts per million (default: ${DEFAULT-VALUE}).")
  private double ratePpm;

  @Option(
      names = "--step-ms",
      paramLabel = "LIST",
      converter = NumberList.DecimalsConverter.class,
      defaultValue = "0,20,-20",
      description = "The step of one clock at half time (default: ${DEFAULT-VALUE}).")
  private NumberList.Decimals steps = new NumberList.Decimals(List.of());

  @Option(
      names = "--rho",
      paramLabel = "LIST",
      converter = NumberList.DecimalsConverter.class,
      defaultValue = "100",
      description =
          "The assumed bound on the relative rate of two clocks, in ppm (default:"
              + " ${DEFAULT-VALUE}, twice the rates' default).")
  private NumberList.Decimals rhos = new NumberList.Decimals(List.of());

  @Option(
      names = "--dmin",
      paramLabel = "LIST",
      converter = NumberList.DecimalsConverter.class,
      defaultValue = "0",
      description = "The assumed minimum delay, in ms (default: ${DEFAULT-VALUE}).")
  private NumberList.Decimals minimumDelays = new NumberList.Decimals(List.of());

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "600",
      description =
          "The duration of each run; the first tenth is not measured (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "30",
      description = "The number of runs to average over (default: ${DEFAULT-VALUE}).")
  private int runs;

  @Override
  public Integer call() throws Exception {
    List<Case> cases;
    try {
      SimulationOptions.require("--runs", runs, 1, MAX_RUNS);
      SimulationOptions.require("--threads", options.threads(), 1, SimulationOptions.MAX_THREADS);
      cases = cases();
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
    Path folder = options.folder();
    PrintWriter out = spec.commandLine().getOut();
    DriftTables tables = new DriftTables(measure(cases));
    tables.print(out);
    tables.write(folder);
    out.printf("%,d runs of %,d s each, seed %d%n", runs, seconds, options.seed());
    out.printf("wrote drift.csv and drift.svg in %s%n", folder);
    return ExitCode.OK.number();
  }

  private List<Finding> measure(List<Case> cases) throws InterruptedException {
    try (PercentLine progress = new PercentLine(spec.commandLine().getErr(), "drift")) {
      return new DriftExperiment(runs, options.seed(), options.threads()).measure(cases, progress);
    }
  }

  private List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (String delay : delays) {
      for (double step : steps.numbers()) {
        DriftModel model = new DriftModel(DelayModel.parse(delay.strip()), ratePpm, step, seconds);
        for (double rho : rhos.numbers()) {
          for (double minimum : minimumDelays.numbers()) {
            cases.add(new Case(model, settings(rho, minimum)));
          }
        }
      }
    }
    return cases;
  }

  private static AlignmentSettings settings(double rhoPpm, double minimumDelayMillis) {
    if (!(minimumDelayMillis >= 0 && minimumDelayMillis <= MAX_MINIMUM_DELAY_MILLIS)) {
      throw new IllegalArgumentException(
          "--dmin must lie in 0 to 10000 ms: " + CsvNumber.setting(minimumDelayMillis));
    }
    return AlignmentSettings.DEFAULT
        .withRhoPpm(rhoPpm)
        .withMinimumDelayMicros(Math.round(1_000 * minimumDelayMillis));
  }
}
