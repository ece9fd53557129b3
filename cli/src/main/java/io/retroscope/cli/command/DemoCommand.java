// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that runs demonstrations. */
@Command(
    name = "demo",
    description = {
      "Trace a real system on this machine, query its events, and play its alerts.",
      "Without a name: list the demonstrations."
    },
    synopsisSubcommandLabel = "[NAME]",
    footer = {
      "",
      "Example:",
      "  retroscope demo zookeeper",
    })
public final class DemoCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** The values of {@code --transport}. Signatures here name no type that only the demo has. */
  enum Transport {
    HTTP,
    KAFKA
  }

  /** The options of all demonstrations. */
  static final class RunOptions {
    @Option(
        names = "--seconds",
        paramLabel = "N",
        defaultValue = "20",
        description = "How long the system is loaded (default: ${DEFAULT-VALUE}).")
    int seconds;

    @Option(
        names = "--out",
        paramLabel = "FOLDER",
        defaultValue = "retroscope-demo",
        description = "Where events and sound are left (default: ${DEFAULT-VALUE}).")
    Path out = Path.of("retroscope-demo");

    @Option(names = "--keep", description = "Run until Ctrl-C, so that a shell can query it.")
    boolean keep;

    @Option(names = "--quiet", description = "Print the summary only.")
    boolean quiet;

    @Option(names = "--no-faults", description = "Inject no faults: a control run.")
    boolean noFaults;

    @Option(
        names = "--port",
        paramLabel = "PORT",
        defaultValue = "0",
        description = "The log server's; 0 for a free one (default: ${DEFAULT-VALUE}).")
    int port;
  }

  /** Lists the demonstrations. */
  @Override
  public void run() {
    PrintWriter out = spec.commandLine().getOut();
    for (CommandLine demo : spec.subcommands().values()) {
      out.println(
          String.format(
              Locale.ROOT,
              "  %-12s %s",
              demo.getCommandName(),
              demo.getCommandSpec().usageMessage().description()[0]));
    }
    out.println("retroscope demo NAME runs one; demo NAME --help shows its options.");
  }

  @Command(
      name = "zookeeper",
      description = "How stale are the replicas of a ZooKeeper ensemble with a slow follower?",
      footer = {
        "",
        "Example:",
        "  retroscope demo zookeeper --seconds 20 --out ./retroscope-demo",
      })
  int zookeeper(
      @Mixin RunOptions options,
      @Option(
              names = "--transport",
              paramLabel = "http|kafka",
              defaultValue = "http",
              description =
                  "How events get to the log server; kafka starts a broker too"
                      + " (default: ${DEFAULT-VALUE}).")
          Transport transport) {
    requireDemonstrations();
    return Demonstrations.zookeeper(options, transport, out(), err());
  }

  @Command(
      name = "kafka",
      description = "Who owns the partition, while a consumer does not poll in time?",
      footer = {
        "",
        "Example:",
        "  retroscope demo kafka --seconds 20 --out ./retroscope-demo",
      })
  int kafka(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.kafka(options, out(), err());
  }

  @Command(
      name = "cluster",
      description = "Does a query lose rows, while a server of a cluster is killed?",
      footer = {
        "",
        "Example:",
        "  retroscope demo cluster --seconds 20 --out ./retroscope-demo",
      })
  int cluster(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.cluster(options, out(), err());
  }

  @Command(
      name = "infinispan",
      description = "How far apart are the replicas of a cache, while a link is slow?",
      footer = {
        "",
        "Example:",
        "  retroscope demo infinispan --seconds 20 --out ./retroscope-demo",
      })
  int infinispan(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.infinispan(options, out(), err());
  }

  @Command(
      name = "latency",
      description = "Which node is slow, and which suspicions have a reason?",
      footer = {
        "",
        "Example:",
        "  retroscope demo latency --seconds 20 --out ./retroscope-demo",
      })
  int latency(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.latency(options, out(), err());
  }

  @Command(
      name = "raft",
      description = "Who leads, while the leader of a Raft group is stopped?",
      footer = {
        "",
        "The first run fetches the libraries that this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo raft --seconds 20 --out ./retroscope-demo",
      })
  int raft(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("raft", options, out(), err());
  }

  @Command(
      name = "redis",
      description = "Who holds the lock, while a holder pauses for longer than its lease?",
      footer = {
        "",
        "The first run fetches the libraries that this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo redis --seconds 20 --out ./retroscope-demo",
      })
  int redis(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("redis", options, out(), err());
  }

  @Command(
      name = "ordering",
      description = "Do replicas execute in one order, if multicasts may overtake?",
      footer = {
        "",
        "The first run fetches the libraries that this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo ordering --seconds 20 --out ./retroscope-demo",
      })
  int ordering(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("ordering", options, out(), err());
  }

  @Command(
      name = "chord",
      description = "Is a Chord ring whole, while nodes join and leave?",
      footer = {
        "",
        "The first run builds what this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo chord --seconds 20 --out ./retroscope-demo",
      })
  int chord(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("chord", options, out(), err());
  }

  @Command(
      name = "geode",
      description = "Has one version two values, while two servers of Geode write?",
      footer = {
        "",
        "The first run fetches the libraries that this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo geode --seconds 20 --out ./retroscope-demo",
      })
  int geode(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("geode", options, out(), err());
  }

  @Command(
      name = "postgres",
      description = "Does a standby of PostgreSQL return less than a client was promised?",
      footer = {
        "",
        "The first run fetches the libraries that this demonstration alone needs, and PostgreSQL"
            + " for",
        "Linux on x86, which is used if this machine has none. For root it runs as 'nobody'.",
        "",
        "Example:",
        "  retroscope demo postgres --seconds 20 --out ./retroscope-demo",
      })
  int postgres(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("postgres", options, out(), err());
  }

  @Command(
      name = "paxos",
      description = "Do replicas of Paxos and its relatives agree, while a group of them fails?",
      footer = {
        "",
        "The first run builds what this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo paxos --seconds 20 --out ./retroscope-demo",
      })
  int paxos(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("paxos", options, out(), err());
  }

  @Command(
      name = "zerocopy",
      description = "Are acknowledged bytes on two disks, while a log is shipped without copies?",
      footer = {
        "",
        "The first run builds what this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo zerocopy --seconds 20 --out ./retroscope-demo",
      })
  int zerocopy(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("zerocopy", options, out(), err());
  }

  @Command(
      name = "migration",
      description = "Does an object have one owner, while policies move it between regions?",
      footer = {
        "",
        "The first run builds what this demonstration alone needs.",
        "",
        "Example:",
        "  retroscope demo migration --seconds 20 --out ./retroscope-demo",
      })
  int migration(@Mixin RunOptions options) {
    requireDemonstrations();
    return Demonstrations.builtOnDemand("migration", options, out(), err());
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** The archives for users do not contain the systems that are demonstrated. */
  private static void requireDemonstrations() {
    if (DemoCommand.class.getResource("/io/retroscope/examples/stage/DemoRun.class") == null) {
      throw new CommandException(
          ExitCode.USAGE,
          "the demonstrations are not in this archive: run ./retroscope demo in the source tree");
    }
  }
}
