// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.option.TimeRangeOptions;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.ValueText;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command for the events that a log server keeps in quarantine. */
@Command(
    name = "quarantine",
    description = "List, store or delete events with stamps too far in the future.",
    synopsisSubcommandLabel = "ACTION",
    footer = {
      "",
      "Examples:",
      "  retroscope quarantine list --server http://127.0.0.1:7340",
      "  retroscope quarantine release --node zk1 --until 2026-11-20T18:40:00Z",
      "  retroscope quarantine purge --all",
    })
public final class QuarantineCommand implements Runnable {
  private static final String PATH = "/v1/admin/quarantine";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "an action is missing");
  }

  /** The selection of events. */
  static final class Selection {
    @Option(names = "--all", description = "All of them.")
    private boolean all;

    @Option(names = "--node", paramLabel = "NODE", description = "Those of a node. May repeat.")
    private Set<String> nodes = Set.of();

    @Mixin private TimeRangeOptions times = new TimeRangeOptions();

    private String json() {
      Map<String, String> ends = times.parameters();
      if (!all && nodes.isEmpty() && ends.isEmpty()) {
        throw new CommandException(
            ExitCode.USAGE, "say which events are meant: --node, --from, --until or --all");
      }
      Map<String, Value> fields = new LinkedHashMap<>();
      if (!nodes.isEmpty()) {
        fields.put("nodes", new SetValue(nodes.stream().<Value>map(Value::of).toList()));
      }
      ends.forEach((name, stamp) -> fields.put(name, Value.of(stamp)));
      return JsonValues.text(new StructValue(fields));
    }
  }

  @Command(
      name = "list",
      description = "Show the number of events in quarantine and their stamps, for each node.",
      footer = {"", "Example:", "  retroscope quarantine list"})
  int list(@Mixin ServerOption server) {
    StructValue answer = server.client().fields(PATH, Optional.empty());
    if (!(answer.fields().get("nodes") instanceof SetValue nodes) || nodes.elements().isEmpty()) {
      out().println("nothing is in quarantine");
      return ExitCode.OK.number();
    }
    for (Value node : nodes.elements()) {
      StructValue own = (StructValue) node;
      out()
          .println(
              "%s: %d events from %s to %s"
                  .formatted(
                      text(own, "node"),
                      number(own, "events"),
                      text(own, "firstHlc"),
                      text(own, "lastHlc")));
    }
    return ExitCode.OK.number();
  }

  @Command(
      name = "release",
      description = {
        "Store events, regardless of the server's clock.",
        "Events that contradict stored events stay in quarantine."
      },
      footer = {"", "Example:", "  retroscope quarantine release --node zk1"})
  int release(@Mixin ServerOption server, @Mixin Selection selection) {
    StructValue answer = server.client().fields(PATH + "/release", Optional.of(selection.json()));
    long contradicting = number(answer, "contradicting");
    out()
        .println(
            "%d events are stored, %d were stored already, %d contradict what is stored"
                .formatted(
                    number(answer, "released"), number(answer, "duplicates"), contradicting));
    return (contradicting == 0 ? ExitCode.OK : ExitCode.FAILED).number();
  }

  @Command(
      name = "purge",
      description = "Delete events.",
      footer = {"", "Example:", "  retroscope quarantine purge --node zk1"})
  int purge(@Mixin ServerOption server, @Mixin Selection selection) {
    StructValue answer = server.client().fields(PATH + "/purge", Optional.of(selection.json()));
    out().println("%d events are deleted".formatted(number(answer, "purged")));
    return ExitCode.OK.number();
  }

  private static long number(StructValue object, String name) {
    return object.fields().get(name) instanceof LongValue number ? number.value() : 0;
  }

  private static String text(StructValue object, String name) {
    return object.fields().get(name) instanceof StringValue text
        ? ValueText.printable(text.value())
        : "";
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
