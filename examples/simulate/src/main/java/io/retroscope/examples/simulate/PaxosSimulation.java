// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate;

import io.retroscope.cli.command.Simulation;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.examples.simulate.figure.Axis;
import io.retroscope.examples.simulate.paxos.LocalNetwork;
import io.retroscope.examples.simulate.paxos.MessageCost;
import io.retroscope.examples.simulate.paxos.PublishedFigure;
import io.retroscope.examples.simulate.paxos.QueueSimulation;
import io.retroscope.examples.simulate.paxos.WideNetwork;
import io.retroscope.examples.simulate.paxos.Work;
import io.retroscope.rql.print.OutputFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The published models of Paxos and its relatives. */
@Command(
    name = "paxos",
    description = {
      "Model the latency and capacity of Paxos, FPaxos, EPaxos, WPaxos and PigPaxos.",
      "Compare the figures with the published ones.",
      "Write published.csv and, as .csv and .svg, lan, load, wan and pig."
    },
    footer = {
      "",
      "Latency is in ms, capacity in rounds per second of a node's processor.",
      "",
      "Example:",
      "  retroscope simulate paxos --out ./paxos",
    })
public final class PaxosSimulation implements Simulation {
  private static final LocalNetwork NETWORK = LocalNetwork.PUBLISHED;
  private static final MessageCost COST = MessageCost.PUBLISHED;
  private static final WideNetwork WIDE = new WideNetwork(NETWORK, COST);
  private static final double CONFLICTS = 0.02;
  private static final double LOCALITY = 0.7;
  private static final List<Integer> GROUPS = List.of(2, 3, 4, 5);
  private static final int MAX_ROUNDS = 100_000_000;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "paxos",
      description = "The folder for the tables and figures (default: ${DEFAULT-VALUE}).")
  private Path out = Path.of("paxos");

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Of the simulated queue (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "1000000",
      description = "Of the simulated queue, for each load (default: ${DEFAULT-VALUE}).")
  private int rounds = 1_000_000;

  @Override
  public Integer call() throws IOException {
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw new CommandException(
          ExitCode.USAGE, "--rounds must lie in 1 to %d: %d".formatted(MAX_ROUNDS, rounds));
    }
    Path folder = Files.createDirectories(out);
    published(folder);
    lan().write(folder, "lan");
    load().write(folder, "load");
    wan().write(folder, "wan");
    pig().write(folder, "pig");
    PrintWriter screen = spec.commandLine().getOut();
    screen.println();
    screen.println(pigTable());
    screen.printf("wrote published.csv, and lan, load, wan, pig as .csv and .svg in %s%n", folder);
    return ExitCode.OK.number();
  }

  private void published(Path folder) throws IOException {
    List<PublishedFigure> figures = PublishedFigure.all();
    PrintWriter screen = spec.commandLine().getOut();
    screen.printf("%-52s %10s %10s%n", "", "published", "model");
    for (PublishedFigure figure : figures) {
      screen.printf(
          Locale.ROOT,
          "%-52s %10s %10s  %s%n",
          figure.subject(),
          short4(figure.published()),
          short4(figure.model()),
          (figure.isReproduced() ? "" : "DIFFERS: ") + figure.remark());
    }
    OutputFile.replaceText(
        folder.resolve("published.csv"),
        text -> {
          text.write("figure;published;model;reproduced;remark\n");
          for (PublishedFigure figure : figures) {
            text.write(
                "%s;%s;%s;%s;%s%n"
                    .formatted(
                        figure.subject(),
                        CsvNumber.setting(figure.published()),
                        CsvNumber.measured(figure.model()),
                        figure.isReproduced(),
                        figure.remark()));
          }
        });
  }

  private static String short4(double value) {
    return value >= 100
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.3f", value);
  }

  private static LineChart lan() {
    return new LineChart("A round in a local network, without load")
        .panel("A majority replies", Axis.linear("nodes"), Axis.linear("ms"))
        .line("odd", odd(3, 35), n -> NETWORK.majorityMillis((int) n))
        .line("even", odd(3, 35).map(n -> n + 1), n -> NETWORK.majorityMillis((int) n))
        .panel("Flexible quorums of 9 nodes", Axis.linear("second quorum"), Axis.linear("ms"))
        .line("FPaxos", whole(2, 9), q -> NETWORK.quorumMillis(9, (int) q));
  }

  private LineChart load() {
    LineChart chart =
        new LineChart("Paxos in a local network, with the queue of its leader")
            .panel("Latency", Axis.linear("rounds per second"), Axis.linear("ms"));
    for (int nodes : new int[] {3, 5, 7, 9}) {
      chart.line(
          nodes + " nodes",
          shares().map(share -> share * Work.paxosLeader(nodes).capacity(COST)),
          rate -> NETWORK.latencyMillis(nodes, nodes / 2 + 1, COST, rate));
    }
    Work work = Work.paxosLeader(5);
    return chart
        .panel("Wait of 5 nodes", Axis.linear("load"), Axis.logarithmic("ms"))
        .line(
            "Marchal's formula",
            shares(),
            share -> work.waitMillis(COST, share * work.capacity(COST), 1))
        .line(
            "simulated queue",
            shares(),
            share ->
                new QueueSimulation(seed)
                    .meanWaitMillis(work, COST, share * work.capacity(COST), rounds));
  }

  private static LineChart wan() {
    LineChart chart =
        new LineChart("Five regions, clients in each")
            .panel("Latency in all regions", Axis.linear("rounds per second"), Axis.linear("ms"));
    for (int leader = 0; leader < WideNetwork.REGIONS.size(); leader++) {
      int at = leader;
      double capacity = Work.paxosLeader(WideNetwork.REGIONS.size()).capacity(COST);
      chart.line(
          "Paxos led from " + WideNetwork.REGIONS.get(leader),
          shares().map(share -> share * capacity),
          rate -> WIDE.paxosMillis(at, rate));
    }
    chart.line(
        "EPaxos at 2 % conflicts",
        shares().map(share -> share * WIDE.epaxosCapacity(CONFLICTS)), PaxosSimulation::epaxosMean);
    chart.line(
        "WPaxos at 70 % locality",
        shares().map(share -> share * WIDE.wpaxosCapacity(LOCALITY)),
        rate -> WIDE.wpaxosMillis(LOCALITY, rate));
    return chart
        .panel("Capacity of EPaxos", Axis.linear("% conflicts"), Axis.linear("times Paxos"))
        .line(
            "EPaxos at 2 % conflicts",
            whole(0, 100).filter(c -> c % 5 == 0),
            c -> WIDE.epaxosCapacity(c / 100) / Work.paxosLeader(5).capacity(COST))
        .panel("WPaxos by locality", Axis.linear("% local"), Axis.linear("ms"))
        .line(
            "WPaxos at 70 % locality",
            whole(0, 100).filter(c -> c % 5 == 0), local -> WIDE.wpaxosMillis(local / 100, 10_000));
  }

  private static double epaxosMean(double rate) {
    return IntStream.range(0, WideNetwork.REGIONS.size())
        .mapToDouble(region -> WIDE.epaxosMillis(region, CONFLICTS, rate))
        .average()
        .orElseThrow();
  }

  private static LineChart pig() {
    LineChart chart =
        new LineChart("Paxos with relays")
            .panel("Capacity", Axis.linear("nodes"), Axis.logarithmic("rounds per second"))
            .line("Paxos", odd(5, 99), n -> Work.paxosLeader((int) n).capacity(COST));
    for (int groups : GROUPS) {
      chart.line(
          "PigPaxos with " + groups + " groups", odd(11, 99), n -> pigCapacity((int) n, groups));
    }
    return chart;
  }

  private static double pigCapacity(int nodes, int groups) {
    return Math.min(
        Work.pigLeader(groups).capacity(COST), Work.pigFollower(nodes, groups).capacity(COST));
  }

  private static String pigTable() {
    StringBuilder table = new StringBuilder();
    table.append("messages per round, and capacity   leader   follower   rounds/s   times Paxos\n");
    for (int nodes : new int[] {25, 99}) {
      double paxos = Work.paxosLeader(nodes).capacity(COST);
      row(table, "Paxos, " + nodes + " nodes", 2 * (nodes - 1) + 2, 2, paxos, 1);
      for (int groups : GROUPS) {
        double capacity = pigCapacity(nodes, groups);
        row(
            table,
            "PigPaxos, " + nodes + " nodes, " + groups + " groups",
            2 * groups + 2,
            2.0 * (nodes - groups - 1) / (nodes - 1) + 2,
            capacity,
            capacity / paxos);
      }
    }
    return table.toString();
  }

  private static void row(
      StringBuilder table, String name, int leader, double follower, double rate, double ratio) {
    table.append(
        String.format(
            Locale.ROOT, "%-34s %6d %10.2f %10.0f %13.1f%n", name, leader, follower, rate, ratio));
  }

  private static DoubleStream whole(int from, int to) {
    return IntStream.rangeClosed(from, to).asDoubleStream();
  }

  private static DoubleStream odd(int from, int to) {
    return whole(from, to).filter(n -> n % 2 == 1);
  }

  /** Shares of a capacity, denser near it. */
  private static DoubleStream shares() {
    return DoubleStream.concat(
        IntStream.range(1, 18).mapToDouble(i -> i / 20.0),
        DoubleStream.of(0.9, 0.92, 0.94, 0.96, 0.97, 0.98, 0.99));
  }
}
