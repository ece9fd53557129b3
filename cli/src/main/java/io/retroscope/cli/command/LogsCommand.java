// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.connection.LineDownload;
import io.retroscope.cli.connection.ReconnectingLines;
import io.retroscope.cli.option.EventFiles;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.print.LineColumn;
import io.retroscope.cli.print.LinePrinter;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.cli.process.TerminalText;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.recordings.file.LazyEventSource;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.client.Reconnect;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import io.retroscope.rql.print.ValueText;
import io.retroscope.server.lines.AlignedLine;
import io.retroscope.server.lines.LineHistory;
import io.retroscope.server.lines.LineRequest;
import io.retroscope.server.live.MonotonicClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Predicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command that merges the log lines of all nodes into one log, in the order of their aligned
 * times.
 */
@Command(
    name = "logs",
    description = "Print the log lines of all nodes as one log, in the order of aligned time.",
    footer = {
      "",
      "A line's aligned time is its node's own reading plus that node's offset from the driver's",
      "clock. No line is printed before a line that is known to have happened earlier, even if the",
      "times alone do not decide. With --follow, a line that arrives too late for its position is",
      "printed when it arrives, with a star after its time.",
      "",
      "Examples:",
      "  retroscope logs --server http://127.0.0.1:7340 --follow",
      "  retroscope logs zk1.ndjson zk2.ndjson --grep 'time-?out' --level WARN",
      "  retroscope logs --since 10m --columns time,uncertainty,raw,node,message"
    })
public final class LogsCommand implements Callable<Integer> {
  /** The number of lines printed between two checks whether the output is still open. */
  private static final int LINES_PER_CHECK = 256;

  private static final int CHART_WIDTH = 80;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private EventFiles files = new EventFiles();

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --file FILE.")
  private List<Path> given = List.of();

  @Mixin private ServerOption server = new ServerOption();

  @Option(
      names = {"-f", "--follow"},
      description = "Print the last 10 lines, then new lines as they arrive, until Ctrl-C.")
  private boolean follow;

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      description = "With --follow: end after this duration.")
  private Optional<String> limit = Optional.empty();

  @Option(
      names = "--node",
      paramLabel = "NODE",
      description = "Only lines of this node; may be repeated.")
  private List<String> nodes = List.of();

  @Option(
      names = "--log",
      paramLabel = "LOG",
      description = "Only lines of this log; may be repeated.")
  private List<String> logs = List.of();

  @Option(
      names = "--grep",
      paramLabel = "REGEX",
      description = "Only lines with a message that matches this expression.")
  private Optional<String> grep = Optional.empty();

  @Option(
      names = "--level",
      paramLabel = "LEVEL",
      description =
          "Only lines with at least this severity in the field \"level\", by any usual scale; a"
              + " level that is not known is not left out.")
  private Optional<String> level = Optional.empty();

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Only lines from this instant on, or from this long ago, such as 10m.")
  private Optional<String> since = Optional.empty();

  @Option(names = "--until", paramLabel = "TIME", description = "Only lines up to this instant.")
  private Optional<String> until = Optional.empty();

  @Option(names = "--last", paramLabel = "N", description = "Only the last N stored lines.")
  private Optional<String> last = Optional.empty();

  @Option(
      names = "--columns",
      paramLabel = "COLUMN",
      split = ",",
      defaultValue = "time,node,level,message,fields",
      converter = LineColumn.Converter.class,
      description =
          "Among time, uncertainty, clock, raw, hlc, node, log, level, message, fields, late"
              + " (default: ${DEFAULT-VALUE}).")
  private List<LineColumn> columns = List.of();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; plain lines if not given.")
  private Optional<OutputFormat> format = Optional.empty();

  private final Set<String> warned = new HashSet<>();

  private long printedCount;

  @Override
  public Integer call() throws IOException {
    files.add(given);
    if (server.given() && files.given()) {
      throw new CommandException(ExitCode.USAGE, "--file and --server exclude each other");
    }
    if (follow && files.given()) {
      throw new CommandException(
          ExitCode.USAGE, "--follow needs a log server: a file of events is read once");
    }
    Map<String, List<String>> parameters = parameters();
    LineRequest request = request(parameters);
    PrintWriter out = spec.commandLine().getOut();
    if (format.isPresent()) {
      ResultPrinter printer = format.get().printer(TerminalText.ofOutput(out), CHART_WIDTH, follow);
      printer.columns(columns.stream().map(c -> new Column(c.heading(), false)).toList());
      give(parameters, request, printed(line -> printer.row(row(line))));
      printer.end();
    } else {
      LinePrinter printer = new LinePrinter(out, columns, coloured());
      give(parameters, request, printed(printer::print));
    }
    out.flush();
    if (printedCount == 0 && !follow) {
      throw new CommandException(ExitCode.FAILED, noLines(parameters));
    }
    return ExitCode.OK.number();
  }

  private Map<String, List<String>> parameters() {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("node", nodes);
    parameters.put("log", logs);
    parameters.put("grep", grep.stream().toList());
    parameters.put("level", level.stream().toList());
    parameters.put("since", since.stream().toList());
    parameters.put("until", until.stream().toList());
    parameters.put("last", last.stream().toList());
    parameters.put("follow", follow ? List.of("true") : List.of());
    parameters.put("for", limit.stream().toList());
    parameters.values().removeIf(List::isEmpty);
    return parameters;
  }

  private static LineRequest request(Map<String, List<String>> parameters) {
    try {
      return LineRequest.parse(parameters);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private void give(
      Map<String, List<String>> parameters, LineRequest request, Predicate<AlignedLine> sink)
      throws IOException {
    if (!files.given()) {
      LineDownload download = new LineDownload(server.client(), this::warn);
      if (follow) {
        followed(download, parameters, request).read(sink);
      } else {
        download.read(parameters, sink);
      }
      return;
    }
    try (LazyEventSource source = files.open(spec.commandLine().getErr()).source();
        EventSource.View view = source.open()) {
      long now = view.extent().map(HlcRange::to).map(HlcTimestamp::micros).orElse(0L);
      LineHistory.give(view, request, now, sink).forEach(this::warn);
      LineHistory.warnings(view, request, now).forEach(this::warn);
    }
  }

  private ReconnectingLines followed(
      LineDownload download, Map<String, List<String>> parameters, LineRequest request) {
    return new ReconnectingLines(
        download,
        parameters,
        request.limitMicros(),
        Reconnect.DEFAULT,
        MonotonicClock.system(),
        this::warn);
  }

  /** Prints each warning once, because the server repeats it after a reconnect. */
  private void warn(String sentence) {
    if (warned.add(sentence)) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("warning: " + ValueText.printable(sentence));
      err.flush();
    }
  }

  /** Prints lines until the output is closed. */
  private Predicate<AlignedLine> printed(Consumer<AlignedLine> printer) {
    PrintWriter out = spec.commandLine().getOut();
    return line -> {
      printer.accept(line);
      printedCount++;
      boolean look = follow || printedCount % LINES_PER_CHECK == 0;
      return !(look && out.checkError());
    };
  }

  private Row row(AlignedLine line) {
    List<Value> values = new ArrayList<>();
    columns.forEach(column -> values.add(column.value(line)));
    return new Row(line.event().hlc(), 0, values, Optional.empty());
  }

  private static boolean coloured() {
    String off = System.getenv("NO_COLOR");
    return (off == null || off.isEmpty()) && StandardStreams.system().outIsTerminal();
  }

  private String noLines(Map<String, List<String>> parameters) {
    String target = files.given() ? files.names() : server.uri().toString();
    return parameters.isEmpty()
        ? target + " has no log lines: those are events with a \"message\""
        : "no log line of "
            + target
            + " matches; leave out "
            + String.join(" or ", parameters.keySet().stream().map(name -> "--" + name).toList());
  }
}
