// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.examples.simulate.clocks.AlignmentExperiment;
import io.retroscope.examples.simulate.clocks.AlignmentExperiment.Point;
import io.retroscope.examples.simulate.clocks.RigidModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The published experiment on alignment. */
@Command(
    name = "alignment",
    description = {
      "Measure the error of offsets that are derived from events alone.",
      "Repeat the published experiment: the error by the length of the log, and by latency.",
      "Write fig1.csv, fig1.svg, fig2.csv and fig2.svg."
    },
    footer = {
      "",
      "Time is in ticks. A list is 10,20,50 or 0..60 or 0..60:2.",
      "",
      "Examples:",
      "  retroscope simulate alignment --out ./alignment",
      "  retroscope simulate alignment --runs 100000",
      "  retroscope simulate alignment --communication 0.1,1 --lengths 100..2000:100 --delay 5",
    })
public final class AlignmentSimulation extends ClockSimulation {
  private static final double LATENCY_COMMUNICATION = 0.2;
  private static final int LATENCY_LENGTH = 1_000;

  /** The factor by which the second figure averages over fewer runs, as published. */
  private static final int LATENCY_SHARE = 10;

  private static final int MAX_RUNS = 10_000_000;
  private static final int MAX_LENGTH = 1_000_000;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "5",
      description = "The number of nodes (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--skew",
      paramLabel = "LIST",
      converter = NumberList.WholesConverter.class,
      defaultValue = "10,20,50",
      description =
          "The distance from the lowest to the highest clock; the first figure uses the largest"
              + " (default: ${DEFAULT-VALUE}).")
  private NumberList.Wholes skews = new NumberList.Wholes(List.of());

  @Option(
      names = "--delay",
      paramLabel = "A..B",
      converter = NumberList.RangeConverter.class,
      defaultValue = "3..10",
      description = "The delay of messages in the first figure (default: ${DEFAULT-VALUE}).")
  private NumberList.Range delay = new NumberList.Range(0, 0);

  @Option(
      names = "--events",
      paramLabel = "P",
      defaultValue = "0.4",
      description =
          "The probability that a node has an event in a tick (default: ${DEFAULT-VALUE}).")
  private double events;

  @Option(
      names = "--communication",
      paramLabel = "LIST",
      converter = NumberList.DecimalsConverter.class,
      defaultValue = "0.01,0.1,0.5,1",
      description =
          "The probability that an event is a send, in the first figure (default:"
              + " ${DEFAULT-VALUE}); the second has "
              + LATENCY_COMMUNICATION
              + ".")
  private NumberList.Decimals communication = new NumberList.Decimals(List.of());

  @Option(
      names = "--lengths",
      paramLabel = "LIST",
      converter = NumberList.WholesConverter.class,
      defaultValue = "10,20,30,40,50,75,100,150,200,300,400,600,800,1000,1500,2000",
      description =
          "The length of the log, in the first figure (default: ${DEFAULT-VALUE}); the second has "
              + LATENCY_LENGTH
              + ".")
  private NumberList.Wholes lengths = new NumberList.Wholes(List.of());

  @Option(
      names = "--latency",
      paramLabel = "LIST",
      converter = NumberList.WholesConverter.class,
      defaultValue = "0..60:2",
      description =
          "The constant delay of messages in the second figure (default:" + " ${DEFAULT-VALUE}).")
  private NumberList.Wholes latencies = new NumberList.Wholes(List.of());

  @Option(
      names = "--rate-ppm",
      paramLabel = "PPM",
      defaultValue = "0",
      description =
          "The largest rate error of a clock in parts per million, which the estimator knows"
              + " (default: ${DEFAULT-VALUE}, rigid).")
  private double ratePpm;

  @Option(
      names = "--runs",
      paramLabel = "N",
      defaultValue = "5000",
      description =
          "The number of runs to average over; the second figure uses a tenth of it (default:"
              + " ${DEFAULT-VALUE}).")
  private int runs;

  private List<RigidModel> byLength = List.of();
  private List<RigidModel> byLatency = List.of();

  @Override
  void prepare() {
    require("--runs", runs, 1, MAX_RUNS);
    lengths.numbers().forEach(length -> require("--lengths", length, 1, MAX_LENGTH));
    byLength = byLength();
    byLatency = byLatency();
  }

  @Override
  void run(Path folder) throws IOException, InterruptedException {
    AlignmentTables tables = new AlignmentTables(folder);
    tables.byLength(measure("fig1", runs, byLength, lengths.numbers()));
    int fewer = Math.max(1, runs / LATENCY_SHARE);
    tables.byLatency(measure("fig2", fewer, byLatency, List.of(LATENCY_LENGTH)));
    out().printf("%,d runs per point, %,d in fig2, seed %d%n", runs, fewer, seed());
    out().printf("wrote fig1.csv, fig1.svg, fig2.csv and fig2.svg in %s%n", folder);
  }

  private List<Point> measure(
      String name, int runsEach, List<RigidModel> models, List<Integer> logLengths)
      throws InterruptedException {
    try (PercentLine progress = progress(name)) {
      return new AlignmentExperiment(runsEach, seed(), threads())
          .measure(models, logLengths, progress);
    }
  }

  private List<RigidModel> byLength() {
    int skew = Collections.max(skews.numbers());
    return communication.numbers().stream()
        .distinct()
        .map(c -> new RigidModel(nodes, skew, delay.least(), delay.most(), events, c, ratePpm))
        .toList();
  }

  private List<RigidModel> byLatency() {
    return skews.numbers().stream()
        .distinct()
        .flatMap(
            skew ->
                latencies.numbers().stream()
                    .distinct()
                    .map(
                        latency ->
                            new RigidModel(
                                nodes,
                                skew,
                                latency,
                                latency,
                                events,
                                LATENCY_COMMUNICATION,
                                ratePpm)))
        .toList();
  }
}
