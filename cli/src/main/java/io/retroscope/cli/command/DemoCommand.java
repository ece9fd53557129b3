package io.retroscope.cli.command;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.examples.zookeeper.DemoOptions;
import io.retroscope.examples.zookeeper.ZookeeperDemo;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command that runs demonstrations. */
@Command(
    name = "demo",
    description = "Trace a real system on this machine, query its events, and play its alerts.",
    synopsisSubcommandLabel = "STORY",
    footer = {
      "",
      "Example:",
      "  retroscope demo zookeeper",
    })
public final class DemoCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** The values of {@code --transport}. Signatures here name no type that only the demo has. */
  private enum Transport {
    HTTP,
    KAFKA
  }

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a story is missing: demo zookeeper is the one to begin with");
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
      @Option(
              names = "--seconds",
              paramLabel = "N",
              defaultValue = "" + DemoOptions.DEFAULT_SECONDS,
              description = "How long the ensemble is written to (default: ${DEFAULT-VALUE}).")
          int seconds,
      @Option(
              names = "--out",
              paramLabel = "FOLDER",
              defaultValue = "retroscope-demo",
              description = "Where events and sound are left (default: ${DEFAULT-VALUE}).")
          Path out,
      @Option(names = "--keep", description = "Run until Ctrl-C, so that a shell can query it.")
          boolean keep,
      @Option(names = "--quiet", description = "Print the summary only.") boolean quiet,
      @Option(
              names = "--port",
              paramLabel = "PORT",
              defaultValue = "0",
              description = "The log server's; 0 for a free one (default: ${DEFAULT-VALUE}).")
          int port,
      @Option(
              names = "--transport",
              paramLabel = "http|kafka",
              defaultValue = "http",
              description =
                  "How events get to the log server; kafka starts a broker too"
                      + " (default: ${DEFAULT-VALUE}).")
          Transport transport) {
    requireDemonstrations();
    DemoOptions options;
    try {
      options =
          new DemoOptions(
              seconds,
              out,
              keep,
              quiet,
              port,
              StandardStreams.system().outIsTerminal(),
              DemoOptions.Transport.valueOf(transport.name()));
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
    PrintWriter screen = spec.commandLine().getOut();
    return new ZookeeperDemo(options, screen, spec.commandLine().getErr()).run();
  }

  /** The archives for users do not contain the systems that are demonstrated. */
  private static void requireDemonstrations() {
    if (DemoCommand.class.getResource("/io/retroscope/examples/zookeeper/ZookeeperDemo.class")
        == null) {
      throw new CommandException(
          ExitCode.USAGE,
          "the demonstrations are not in this archive: run ./retroscope demo in the source tree");
    }
  }
}
