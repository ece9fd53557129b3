// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.store.StoreMaintenance;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command for the maintenance of a log server's data directory. */
@Command(
    name = "store",
    description = "Check, measure, compact, back up or restore the data directory of a log server.",
    synopsisSubcommandLabel = "ACTION",
    footer = {
      "",
      "Examples:",
      "  retroscope store verify --data /var/lib/retroscope",
      "  retroscope store backup --data /var/lib/retroscope /backup/retroscope",
      "  retroscope store restore --data /var/lib/retroscope-new /backup/retroscope",
      "  retroscope store backup --server http://127.0.0.1:7340 nightly",
    })
public final class StoreCommand implements Runnable {
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
      description = "Read all data and report any damage; a server may be running.",
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
      description = "Show the number and size of stored blocks; a server may be running.",
      footer = {"", "Example:", "  retroscope store stats --data /var/lib/retroscope"})
  int stats(@Mixin ServerOption server) {
    if (server.given()) {
      server
          .client()
          .fields("/v1/admin/stats", Optional.empty())
          .fields()
          .forEach((name, value) -> out().println(name + ": " + plain(value)));
    } else {
      StoreMaintenance.stats(data).forEach(out()::println);
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "compact",
      description = {
        "Rewrite the files to free the space of removed events.",
        "While a server runs, it does so itself: name it with --server."
      },
      footer = {"", "Example:", "  retroscope store compact --data /var/lib/retroscope"})
  int compact(@Mixin ServerOption server) {
    if (server.given()) {
      StructValue unused = server.client().fields("/v1/admin/compact", Optional.of("{}"));
      out().println("compacted the store of " + server.uri());
    } else {
      StoreMaintenance.compact(data);
      out().println("compacted " + data);
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "backup",
      description = {
        "Add a backup to a folder of backups.",
        "While a server runs, it does so itself: name it with --server, and the folder by",
        "its name below the server's --backup-dir."
      },
      footer = {
        "",
        "Examples:",
        "  retroscope store backup --data /var/lib/retroscope /backup",
        "  retroscope store backup --server http://127.0.0.1:7340 nightly"
      })
  int backup(@Mixin ServerOption server, @Parameters(paramLabel = "BACKUPS") Path backups) {
    if (server.given()) {
      String body = JsonText.object(out -> out.writeStringProperty("name", backups.toString()));
      StructValue unused = server.client().fields("/v1/admin/backup", Optional.of(body));
      out().println("%s has backed up its store to %s".formatted(server.uri(), backups));
    } else {
      StoreMaintenance.backup(data, backups);
      out().println("backed up %s to %s".formatted(data, backups));
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "restore",
      description = "Restore the latest backup into an empty data directory.",
      footer = {"", "Example:", "  retroscope store restore --data /var/lib/new /backup"})
  int restore(@Parameters(paramLabel = "BACKUPS") Path backups) {
    StoreMaintenance.restore(backups, data);
    out().println("restored %s from the latest backup in %s".formatted(data, backups));
    return ExitCode.OK.number();
  }

  private static String plain(Value value) {
    return value instanceof StringValue text ? text.value() : JsonValues.text(value);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
