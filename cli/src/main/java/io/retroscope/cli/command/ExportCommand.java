// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.connection.EventDownload;
import io.retroscope.cli.file.CsvEventWriter;
import io.retroscope.cli.option.EventSelection;
import io.retroscope.cli.option.FileReading;
import io.retroscope.cli.option.InputOptions;
import io.retroscope.cli.option.RuleFiles;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.perfetto.PerfettoTrace;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.TerminalText;
import io.retroscope.cli.shiviz.ShivizExport;
import io.retroscope.cli.tla.TlaModule;
import io.retroscope.cli.tla.TraceStates;
import io.retroscope.event.Event;
import io.retroscope.recordings.file.EventCollector;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    description =
        "Write events as NDJSON, CSV, a ShiViz log or a Perfetto trace, or values as a trace for"
            + " TLA+.",
    footer = {
      "",
      "Examples:",
      "  retroscope export events.ndjson --format shiviz --to events.log",
      "  retroscope export --server http://127.0.0.1:7340 --log setd --format csv",
      "  retroscope export events.ndjson --from 10:00 --until 10:05 --with-state --to part.ndjson",
      "  retroscope export --format shiviz --from 2026-11-20T18:40:00Z --node zk1 --node zk2",
      "  retroscope export events.ndjson --format perfetto --rules rules.rql --to trace.json",
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
      names = "--rules",
      paramLabel = "RULES.rql",
      description = "With perfetto: rules, whose episodes get tracks; may be repeated.")
  private List<Path> rules = List.of();

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
    PERFETTO,
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
    if (format != ExportFormat.PERFETTO && !rules.isEmpty()) {
      throw new CommandException(ExitCode.USAGE, "--rules is for --format perfetto");
    }
    if (selection.withState()) {
      checkState();
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

  private void checkState() {
    if (format != ExportFormat.NDJSON || !selection.asQuery().contains("from=")) {
      throw new CommandException(
          ExitCode.USAGE, "--with-state is for --format ndjson with --from TIME");
    }
    if (files.contains(Path.of("-"))) {
      throw new CommandException(
          ExitCode.USAGE, "--with-state reads its input twice: write it into a file first");
    }
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
      case PERFETTO -> writePerfetto(out);
      case TLA, TLA_JSON -> writeTrace(out);
    }
  }

  private void writePerfetto(Writer out) throws IOException {
    EventCollector all = new EventCollector();
    forEach(counted(all));
    ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    all.events().forEach(alignment::record);
    EventSource source =
        new InMemoryEventSource(all.events(), all.gaps(), all.reasons(), alignment.offsets());
    PerfettoTrace.write(source, episodes(source), out);
  }

  /** The episodes of the rules that are broken. */
  private Map<String, List<Episode>> episodes(EventSource source) throws IOException {
    Map<String, List<Episode>> episodes = new LinkedHashMap<>();
    if (rules.isEmpty()) {
      return episodes;
    }
    try (LocalSession session = new LocalSession("events", source, QueryLimits.DEFAULT)) {
      RuleCheck check = new RuleCheck(session, "", () -> 0);
      for (Rule rule : RuleFiles.read(rules).rules()) {
        List<Episode> ofRule = new ArrayList<>();
        check.episodes(rule, ofRule::add);
        episodes.put(rule.name(), ofRule);
      }
    }
    return episodes;
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
    return files.isEmpty() ? server.client().rql() : fileSet().session(QueryLimits.DEFAULT);
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
    if (selection.part().isPresent()) {
      consumer.incomplete(selection.part().get());
    }
    if (selection.withState()) {
      EventSource source = fileSet().source();
      try (EventSource.View view = source.open()) {
        selection.readState(view, consumer);
      }
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
