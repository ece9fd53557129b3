// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that measures latencies between hosts. */
@Command(
    name = "latency",
    description = "Measure latencies between hosts: pairs, quorums, suspicions, clocks.",
    footer = {
      "",
      "Each host runs it with the same token, size and duration; ten times a second or more, each",
      "node pings all others and itself. Frames are not encrypted. It ends with a table, and"
          + " leaves",
      "latency-NODE.txt, figures (box plots, histogram, distribution, means over time), its"
          + " events.",
      "",
      "Examples:",
      "  retroscope latency --node a --peers b=127.0.0.1:7346 --token-file token",
      "  retroscope latency --node a --listen 10.0.0.1:7345 --peers b=10.0.0.2:7345,c=10.0.0.3:7345"
          + " \\",
      "    --token-file token --seconds 600 --server http://10.0.0.9:7340"
    })
public final class LatencyCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--node", required = true, paramLabel = "NAME", description = "This node's name.")
  String node = "";

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7345",
      description = "Where it answers (default: ${DEFAULT-VALUE}).")
  String listen = "";

  @Option(
      names = "--peers",
      required = true,
      split = ",",
      paramLabel = "NAME=HOST:PORT",
      description = "The other nodes.")
  Map<String, String> peers = new TreeMap<>();

  @Option(
      names = "--zones",
      split = ",",
      paramLabel = "NAME=ZONE",
      description = "Zones of nodes, such as regions: pairs of zones get rows of their own.")
  Map<String, String> zones = new TreeMap<>();

  @Option(
      names = "--token-file",
      required = true,
      paramLabel = "FILE",
      description = "Holds the token that all nodes share.")
  Path tokenFile = Path.of("token");

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Of each ping and each answer (default: ${DEFAULT-VALUE}).")
  int size;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "100",
      description = "Rounds a second (default: ${DEFAULT-VALUE}).")
  int rate;

  @Option(
      names = "--suspect-millis",
      paramLabel = "MS",
      defaultValue = "500",
      description = "The silence after which a peer is suspected (default: ${DEFAULT-VALUE}).")
  int suspectMillis;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "60",
      description = "How long it measures (default: ${DEFAULT-VALUE}).")
  int seconds;

  @Option(
      names = "--server",
      paramLabel = "URI",
      description = "The log server for its events (default: a file in the folder).")
  @Nullable URI server;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      defaultValue = "retroscope-latency",
      description =
          "Where the table, the figure and the events are left (default: ${DEFAULT-VALUE}).")
  Path out = Path.of("retroscope-latency");

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (LatencyCommand.class.getResource("/io/retroscope/examples/latency/LatencyTester.class")
        == null) {
      throw new CommandException(
          ExitCode.USAGE,
          "the tester is not in this archive: run ./retroscope latency in the source tree");
    }
    LatencyRun.run(this, spec.commandLine().getOut(), spec.commandLine().getErr());
    return ExitCode.OK.number();
  }
}
