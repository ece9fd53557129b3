package io.retroscope.cli;

import io.retroscope.rql.shell.ExitCode;
import io.retroscope.server.store.StoreMaintenance;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Looks after a log server's data directory. */
@Command(
    name = "store",
    description = "Look after the data directory of a log server: check, measure, back up.",
    synopsisSubcommandLabel = "ACTION",
    footer = {
      "",
      "Examples:",
      "  retroscope store verify --data /var/lib/retroscope",
      "  retroscope store backup --data /var/lib/retroscope /backup/retroscope",
      "  retroscope store restore --data /var/lib/retroscope-new /backup/retroscope",
    })
final class StoreCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = "retroscope-data",
      scope = ScopeType.INHERIT,
      description = "The data directory (default: ${DEFAULT-VALUE}).")
  private Path data = Path.of("");

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "an action is missing");
  }

  @Command(
      name = "verify",
      description = "Read everything and name what is damaged; a server may be running.",
      footer = {"", "Example:", "  retroscope store verify --data /var/lib/retroscope"})
  int verify() {
    StoreMaintenance.Verdict verdict = StoreMaintenance.verify(data);
    verdict.lines().forEach(out()::println);
    verdict.problems().forEach(problem -> out().println("DAMAGED: " + problem));
    out().println(verdict.problems().isEmpty() ? "nothing is damaged" : "the store is damaged");
    return (verdict.problems().isEmpty() ? ExitCode.OK : ExitCode.FAILED).number();
  }

  @Command(
      name = "stats",
      description = "Show what is stored; a server may be running.",
      footer = {"", "Example:", "  retroscope store stats --data /var/lib/retroscope"})
  int stats() {
    StoreMaintenance.stats(data).forEach(out()::println);
    return ExitCode.OK.number();
  }

  @Command(
      name = "compact",
      description = "Rewrite the files, so that what was removed takes no room.",
      footer = {"", "Example:", "  retroscope store compact --data /var/lib/retroscope"})
  int compact() {
    StoreMaintenance.compact(data);
    out().println("compacted " + data);
    return ExitCode.OK.number();
  }

  @Command(
      name = "backup",
      description = "Add a backup to a folder of backups.",
      footer = {"", "Example:", "  retroscope store backup --data /var/lib/retroscope /backup"})
  int backup(@Parameters(paramLabel = "BACKUPS") Path backups) {
    StoreMaintenance.backup(data, backups);
    out().println("backed up %s to %s".formatted(data, backups));
    return ExitCode.OK.number();
  }

  @Command(
      name = "restore",
      description = "Make a data directory, empty so far, of the latest backup.",
      footer = {"", "Example:", "  retroscope store restore --data /var/lib/new /backup"})
  int restore(@Parameters(paramLabel = "BACKUPS") Path backups) {
    StoreMaintenance.restore(backups, data);
    out().println("restored %s from the latest backup in %s".formatted(data, backups));
    return ExitCode.OK.number();
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
