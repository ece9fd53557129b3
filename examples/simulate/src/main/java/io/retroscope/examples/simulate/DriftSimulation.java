// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.examples.simulate.clocks.DelayModel;
import io.retroscope.examples.simulate.clocks.DriftExperiment;
import io.retroscope.examples.simulate.clocks.DriftExperiment.Case;
import io.retroscope.examples.simulate.clocks.DriftExperiment.Finding;
import io.retroscope.examples.simulate.clocks.DriftModel;
import io.retroscope.server.align.AlignmentSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The experiment on clocks that drift and step. */
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
public final class DriftSimulation extends ClockSimulation {
  private static final int MAX_RUNS = 1_000_000;
  private static final double MAX_MINIMUM_DELAY_MILLIS = 10_000;

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

  private List<Case> cases = List.of();

  @Override
  void prepare() {
    require("--runs", runs, 1, MAX_RUNS);
    cases = cases();
  }

  @Override
  void run(Path folder) throws IOException, InterruptedException {
    DriftTables tables = new DriftTables(measure());
    tables.print(out());
    tables.write(folder);
    out().printf("%,d runs of %,d s each, seed %d%n", runs, seconds, seed());
    out().printf("wrote drift.csv and drift.svg in %s%n", folder);
  }

  private List<Finding> measure() throws InterruptedException {
    try (PercentLine progress = progress("drift")) {
      return new DriftExperiment(runs, seed(), threads()).measure(cases, progress);
    }
  }

  private List<Case> cases() {
    List<Case> all = new ArrayList<>();
    for (String delay : delays) {
      for (double step : steps.numbers()) {
        DriftModel model = new DriftModel(DelayModel.parse(delay.strip()), ratePpm, step, seconds);
        for (double rho : rhos.numbers()) {
          for (double minimum : minimumDelays.numbers()) {
            all.add(new Case(model, settings(rho, minimum)));
          }
        }
      }
    }
    return all;
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
