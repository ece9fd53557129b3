package io.retroscope.cli.command;

import io.retroscope.cli.connection.EventDownload;
import io.retroscope.cli.file.CsvEventWriter;
import io.retroscope.cli.option.EventSelection;
import io.retroscope.cli.option.FileReading;
import io.retroscope.cli.option.InputOptions;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.TerminalText;
import io.retroscope.cli.shiviz.ShivizExport;
import io.retroscope.cli.tla.TlaModule;
import io.retroscope.cli.tla.TraceStates;
import io.retroscope.event.Event;
import io.retroscope.rql.client.FileSession;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.file.EventCollector;
import io.retroscope.rql.file.EventFileSet;
import io.retroscope.rql.file.OutputFile;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.textlog.TextLogSettings;
import io.retroscope.server.align.AlignmentSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.HashSet;
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

/** The command that writes events for other programs. */
@Command(
    name = "export",
    description = "Write events as NDJSON, CSV, or a ShiViz log, or values as a trace for TLA+.",
    footer = {
      "",
      "Examples:",
      "  retroscope export events.ndjson --format shiviz --to events.log",
      "  retroscope export --server http://127.0.0.1:7340 --log setd --format csv",
      "  retroscope export --format shiviz --from 2026-11-20T18:40:00Z --node zk1 --node zk2",
      "  retroscope export events.ndjson --format tla --on lease.holds --to Trace.tla"
    })
public final class ExportCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ServerOption server = new ServerOption();

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description =
          "Files of events: NDJSON, blocks, text logs or a ShiViz log, also with gzip or zstd;"
              + " folders of such files; or - for standard input (default: all events of the"
              + " server).")
  private List<Path> files = List.of();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "ndjson",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private ExportFormat format = ExportFormat.NDJSON;

  @Mixin private EventSelection selection = new EventSelection();

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--on",
      split = ",",
      paramLabel = "LOG.VARIABLE",
      description = "With tla and tla-json: the variables; may be repeated.")
  private Set<String> variables = Set.of();

  @Option(
      names = "--to",
      paramLabel = "OUT",
      description = "The output file (default: standard output).")
  private Optional<Path> to = Optional.empty();

  private final Set<String> warned = new HashSet<>();

  private long written;

  /** The output formats. */
  private enum ExportFormat {
    NDJSON,
    CSV,
    SHIVIZ,
    TLA,
    TLA_JSON;

    boolean isTrace() {
      return this == TLA || this == TLA_JSON;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  @Override
  public Integer call() throws IOException {
    if (server.given() && !files.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "files and --server exclude each other");
    }
    if (format.isTrace() == variables.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "--format tla or tla-json and --on LOG.VARIABLE need each other");
    }
    if (format.isTrace() && !selection.asQuery().isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "a trace for TLA+ is whole: leave out --log, --node, --from and --until");
    }
    if (to.isPresent()) {
      OutputFile.replaceText(to.get(), this::write);
    } else {
      PrintWriter out = TerminalText.ofOutput(spec.commandLine().getOut());
      write(out);
      out.flush();
    }
    if (written == 0) {
      spec.commandLine().getErr().println("warning: no event was found that fits");
    }
    return ExitCode.OK.number();
  }

  private void write(Writer out) throws IOException {
    switch (format) {
      case NDJSON -> forEach(counted(new NdjsonWriter(out)));
      case CSV -> forEach(counted(new CsvEventWriter(out)));
      case SHIVIZ -> {
        EventCollector all = new EventCollector();
        forEach(counted(all));
        ShivizExport.write(all.events(), out); // a format without losses
      }
      case TLA, TLA_JSON -> writeTrace(out);
    }
  }

  private void writeTrace(Writer out) throws IOException {
    TraceStates trace;
    try (Session session = session()) {
      trace = TraceStates.read(session, variables);
    }
    for (String warning : trace.warnings()) {
      spec.commandLine().getErr().println("warning: " + ValueText.printable(warning));
    }
    if (format == ExportFormat.TLA) {
      TlaModule.write(trace, moduleName(), out);
    } else {
      TlaModule.writeJson(trace, out);
    }
    written = 1;
  }

  private Session session() throws IOException {
    return files.isEmpty()
        ? server.client().rql()
        : FileSession.open(fileSet(), QueryLimits.DEFAULT);
  }

  /** A module has the name of its file. */
  private String moduleName() {
    String name = to.map(file -> String.valueOf(file.getFileName())).orElse("Trace");
    String module = name.replaceFirst("\\.tla$", "");
    if (!module.matches("[A-Za-z][A-Za-z0-9_]*")) {
      throw new CommandException(
          ExitCode.USAGE,
          "\"%s\" is not the name of a TLA+ module: use letters, digits and underscores"
              .formatted(module));
    }
    return module;
  }

  private EventConsumer counted(EventConsumer consumer) {
    return new EventConsumer() {
      @Override
      public void event(Event event) throws IOException {
        written++;
        consumer.event(event);
      }

      @Override
      public void gap(Gap gap) throws IOException {
        consumer.gap(gap);
      }

      @Override
      public void incomplete(Incompleteness reason) throws IOException {
        consumer.incomplete(reason);
        if (warned.add(reason.sentence())) {
          spec.commandLine().getErr().println("warning: " + ValueText.printable(reason.sentence()));
        }
      }
    };
  }

  private void forEach(EventConsumer consumer) throws IOException {
    if (files.isEmpty()) {
      new EventDownload(server.client()).read(selection.asQuery(), consumer);
      return;
    }
    fileSet().readAll(selection.before(consumer));
  }

  private EventFileSet fileSet() throws IOException {
    return FileReading.of(
        files,
        AlignmentSettings.DEFAULT,
        input.settings(Optional.empty(), TextLogSettings.DEFAULT_LOG),
        spec.commandLine().getErr());
  }
}
