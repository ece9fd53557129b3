// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.cli.command.Simulation;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.examples.simulate.figure.Axis;
import io.retroscope.examples.simulate.figure.Series.Point;
import io.retroscope.examples.simulate.migration.CentreOfGravity;
import io.retroscope.examples.simulate.migration.MigrationRun;
import io.retroscope.examples.simulate.migration.MigrationRun.Result;
import io.retroscope.examples.simulate.migration.Policy;
import io.retroscope.examples.simulate.migration.Workload;
import io.retroscope.examples.simulate.paxos.WideNetwork;
import io.retroscope.rql.print.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The published policies of data migration. */
@Command(
    name = "migration",
    description = {
      "Compare policies that move objects to the regions that use them.",
      "Write policies.csv and, as .csv and .svg, migration."
    },
    footer = {
      "",
      "Users move from region to region (VA, OR, CA, IR, JP), or half of the objects are used in"
          + " VA.",
      "",
      "Examples:",
      "  retroscope simulate migration --out ./migration",
      "  retroscope simulate migration --accesses 10,0,2,6,3",
    })
public final class MigrationSimulation implements Simulation {
  private static final int MAX_OBJECTS = 100_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "migration",
      description = "The folder for the tables and figures (default: ${DEFAULT-VALUE}).")
  private Path out = Path.of("migration");

  @Option(
      names = "--objects",
      paramLabel = "N",
      defaultValue = "1000",
      description = "The number of objects (default: ${DEFAULT-VALUE}).")
  private int objects = 1_000;

  @Option(
      names = "--largest-share",
      paramLabel = "SHARE",
      defaultValue = "0.25",
      description =
          "The share of the objects at which the filter lets a region take no more (default:"
              + " ${DEFAULT-VALUE}).")
  private double largestShare = 0.25;

  @Option(
      names = "--accesses",
      paramLabel = "LIST",
      converter = NumberList.WholesConverter.class,
      description =
          "Only print the mean round trip for an object with these accesses of VA, OR, CA, IR, JP,"
              + " by its place.")
  private NumberList.Wholes accesses = new NumberList.Wholes(List.of());

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed gives the same figures (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  private record Row(String workload, String policy, boolean filtered, Result result) {}

  @Override
  public Integer call() throws IOException {
    if (!accesses.numbers().isEmpty()) {
      printCentre();
      return ExitCode.OK.number();
    }
    if (objects < Policy.REGIONS || objects > MAX_OBJECTS) {
      throw usage("--objects must lie in %d to %d: %d", Policy.REGIONS, MAX_OBJECTS, objects);
    }
    if (!(largestShare > 1.0 / Policy.REGIONS && largestShare <= 1)) {
      throw usage(
          "--largest-share must be above 1/%d and at most 1: %s", Policy.REGIONS, largestShare);
    }
    Path folder = Files.createDirectories(out);
    List<Row> rows = new ArrayList<>();
    for (Policy.Kind kind : Policy.Kind.values()) {
      rows.add(row("moving", Workload.moving(objects), kind, false));
    }
    for (Policy.Kind kind : Policy.Kind.values()) {
      rows.add(row("skewed", Workload.skewed(objects), kind, false));
      rows.add(row("skewed", Workload.skewed(objects), kind, true));
    }
    write(folder, rows);
    figure().write(folder, "migration");
    spec.commandLine()
        .getOut()
        .printf("wrote policies.csv, migration.csv and migration.svg in %s%n", folder);
    return ExitCode.OK.number();
  }

  private static CommandException usage(String text, Object... values) {
    return new CommandException(ExitCode.USAGE, String.format(Locale.ROOT, text, values));
  }

  private void printCentre() {
    List<Integer> counts = accesses.numbers();
    if (counts.size() != Policy.REGIONS || counts.stream().anyMatch(count -> count < 0)) {
      throw usage("--accesses needs %d numbers from 0: %s", Policy.REGIONS, counts);
    }
    PrintWriter screen = spec.commandLine().getOut();
    for (int place = 0; place < Policy.REGIONS; place++) {
      screen.printf(
          Locale.ROOT,
          "%s %8.2f ms%n",
          WideNetwork.REGIONS.get(place),
          CentreOfGravity.millis(place, counts::get));
    }
  }

  private Row row(String name, Workload workload, Policy.Kind kind, boolean filtered) {
    return new Row(
        name,
        kind.title(),
        filtered,
        MigrationRun.of(kind, workload, filtered ? largestShare : 1, seed));
  }

  private void write(Path folder, List<Row> rows) throws IOException {
    PrintWriter screen = spec.commandLine().getOut();
    screen.printf(
        "%-8s %-18s %-7s %10s %7s %8s %8s %8s %7s%n",
        "users",
        "policy",
        "filter",
        "latency ms",
        "moves",
        "jitters",
        "detours",
        "refused",
        "share");
    for (Row row : rows) {
      Result result = row.result;
      screen.printf(
          Locale.ROOT,
          "%-8s %-18s %-7s %10.1f %7.2f %8.2f %8.2f %8.1f %6.1f%%%n",
          row.workload,
          row.policy,
          row.filtered ? "yes" : "no",
          result.latencyMillis(),
          result.moves(),
          result.jitters(),
          result.detours(),
          result.refused(),
          100 * result.largestShare());
    }
    OutputFile.replaceText(
        folder.resolve("policies.csv"),
        text -> {
          text.write(
              "users,policy,filter,latency_ms,moves,jitters,detours,refused,largest_share\n");
          for (Row row : rows) {
            Result result = row.result;
            text.write(
                "%s,%s,%s,%s,%s,%s,%s,%s,%s%n"
                    .formatted(
                        row.workload,
                        row.policy,
                        row.filtered,
                        CsvNumber.measured(result.latencyMillis()),
                        CsvNumber.measured(result.moves()),
                        CsvNumber.measured(result.jitters()),
                        CsvNumber.measured(result.detours()),
                        CsvNumber.measured(result.refused()),
                        CsvNumber.measured(result.largestShare())));
          }
        });
  }

  /** Latency and moves by locality. */
  private LineChart figure() {
    LineChart chart = new LineChart("Objects whose users move");
    chart.panel("Latency", Axis.linear("% of accesses from the users' region"), Axis.linear("ms"));
    addLines(chart, true);
    chart.panel(
        "Moves", Axis.linear("% of accesses from the users' region"), Axis.linear("per object"));
    addLines(chart, false);
    return chart;
  }

  private void addLines(LineChart chart, boolean latency) {
    int fewer = Math.max(Policy.REGIONS, objects / 10);
    for (Policy.Kind kind : Policy.Kind.values()) {
      List<Point> points = new ArrayList<>();
      for (int percent = 30; percent <= 95; percent += 5) {
        Workload moving = Workload.moving(fewer);
        Workload workload =
            new Workload(fewer, moving.accesses(), moving.stays(), percent / 100.0, 0);
        Result result = MigrationRun.of(kind, workload, 1, seed);
        points.add(new Point(percent, latency ? result.latencyMillis() : result.moves()));
      }
      chart.line(kind.title(), points);
    }
  }
}
