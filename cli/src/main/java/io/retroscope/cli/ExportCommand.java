package io.retroscope.cli;

import io.retroscope.cli.file.CsvEventWriter;
import io.retroscope.cli.file.EventConsumer;
import io.retroscope.cli.file.EventFile;
import io.retroscope.cli.file.WholeFile;
import io.retroscope.cli.shiviz.ShivizExport;
import io.retroscope.event.Event;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.shell.ExitCode;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes events for other programs. */
@Command(
    name = "export",
    description = "Write events as NDJSON, as CSV, or as a log that ShiViz opens.",
    footer = {
      "",
      "Examples:",
      "  retroscope export events.ndjson --format shiviz --to events.log",
      "  retroscope export --server http://127.0.0.1:7340 --only setd --format csv",
    })
final class ExportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ServerOption server = new ServerOption();

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description = "Events, as NDJSON or blocks; without one, all that the server has.")
  private List<Path> files = List.of();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "ndjson",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private ExportFormat format = ExportFormat.NDJSON;

  @Option(
      names = "--only",
      paramLabel = "LOG",
      description = "Leave out all other logs; starts, stops and heartbeats stay. May repeat.")
  private Set<String> logs = Set.of();

  @Option(names = "--to", paramLabel = "OUT", description = "A file; standard output if not given.")
  private Optional<Path> to = Optional.empty();

  /** What can be written. */
  private enum ExportFormat {
    NDJSON,
    CSV,
    SHIVIZ;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Override
  public Integer call() throws IOException {
    if (server.given() && !files.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "files and --server exclude each other");
    }
    if (to.isPresent()) {
      WholeFile.write(to.get(), this::write);
    } else {
      Writer out = spec.commandLine().getOut();
      write(out);
      out.flush();
    }
    return ExitCode.OK.number();
  }

  private void write(Writer out) throws IOException {
    switch (format) {
      case NDJSON -> forEach(new NdjsonWriter(out)::write);
      case CSV -> forEach(new CsvEventWriter(out)::write);
      case SHIVIZ -> {
        List<Event> events = new ArrayList<>();
        forEach(events::add);
        ShivizExport.write(events, out);
      }
    }
  }

  private void forEach(EventConsumer consumer) throws IOException {
    if (files.isEmpty()) {
      new EventDownload(server.uri()).read(logs, consumer);
      return;
    }
    for (Path file : files) {
      EventFile.read(
          file,
          event -> {
            if (logs.isEmpty()) {
              consumer.accept(event);
            } else if (event.log().isEmpty() || logs.contains(event.log())) {
              // What is left out is not lost.
              consumer.accept(event.withoutSequence());
            }
          });
    }
  }
}
