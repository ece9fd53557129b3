// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.EventFiles;
import io.retroscope.cli.option.NodeNameOption;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.print.AlignmentText;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.process.TerminalText;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.engine.statement.AlignmentTable;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import io.retroscope.rql.print.ValueText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that reports the offsets of the nodes' clocks and their uncertainty. */
@Command(
    name = "align",
    description = "Show the offset of each node's clock from the driver's, and its bounds.",
    footer = {
      "",
      "The offset is added to a node's readings to get those of the driver, which is the node with",
      "the highest clock. The true offset is in the interval; an end without evidence is shown as",
      "unknown. The drift is the rate at which the offset grows, on average over up to ten"
          + " minutes.",
      "",
      "Examples:",
      "  retroscope align --server http://127.0.0.1:7340",
      "  retroscope align zk1.ndjson zk2.ndjson --format json",
      "  retroscope align zk1.ndjson zk2.ndjson --reference zk2"
    })
public final class AlignCommand implements Callable<Integer> {
  private static final int CHART_WIDTH = 80;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private EventFiles files = new EventFiles();

  @Mixin private NodeNameOption node = new NodeNameOption();

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --file FILE.")
  private List<Path> given = List.of();

  @Mixin private ServerOption server = new ServerOption();

  @Option(
      names = "--reference",
      paramLabel = "NODE",
      description =
          "With --file: show offsets from this node's clock (default: the driver's and, for nodes"
              + " without messages to it, the highest among them).")
  private Optional<String> reference = Optional.empty();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "aligned",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private OutputFormat format = OutputFormat.ALIGNED;

  @Override
  public Integer call() throws IOException {
    files.add(given);
    if (server.given() && files.given()) {
      throw new CommandException(ExitCode.USAGE, "--file and --server exclude each other");
    }
    if (reference.isPresent() && !files.given()) {
      throw new CommandException(ExitCode.USAGE, "--reference needs --file");
    }
    Rows rows = new Rows();
    try (Session session = open()) {
      QueryTarget.run(session, "SHOW ALIGNMENT;", rows);
      if (rows.found.isEmpty() && reference.isPresent()) {
        throw new CommandException(
            ExitCode.FAILED,
            "%s: no event is of node \"%s\"".formatted(files.names(), reference.get()));
      }
      if (rows.found.isEmpty()) {
        throw new CommandException(
            ExitCode.FAILED,
            (files.given() ? files.names() : session.target())
                + ": nothing is known of any clock, because no event has its node's own reading"
                + " (\"pt\")");
      }
    }
    print(rows);
    return ExitCode.OK.number();
  }

  private Session open() throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    if (!files.given()) {
      return server.client().rql();
    }
    EventFiles of = files.of(node.node());
    EventFileSet files = reference.isPresent() ? of.openFrom(reference.get(), err) : of.open(err);
    return files.session(QueryLimits.DEFAULT);
  }

  /** Prints sentences and milliseconds for users, or the columns of SHOW ALIGNMENT for programs. */
  private void print(Rows rows) {
    PrintWriter out = spec.commandLine().getOut();
    ResultPrinter printer = format.printer(TerminalText.ofOutput(out), CHART_WIDTH, false);
    AlignmentText text = new AlignmentText(rows.columns, rows.found);
    switch (format) {
      case ALIGNED -> {
        out.println(text.heading());
        printAll(printer, AlignmentText.COLUMNS, text.rows());
      }
      case VERTICAL, MARKDOWN -> printAll(printer, AlignmentText.COLUMNS, text.rows());
      case CSV, TSV, JSON, JSONL, CHART -> printAll(printer, rows.columns, rows.found);
    }
    out.flush();
  }

  private static void printAll(ResultPrinter printer, List<Column> columns, List<Row> rows) {
    printer.columns(columns);
    rows.forEach(printer::row);
    printer.end();
  }

  /** A row for each node. */
  private final class Rows implements RowSink {
    private final List<Row> found = new ArrayList<>();
    private List<Column> columns = AlignmentTable.COLUMNS;

    @Override
    public void columns(List<Column> columns) {
      this.columns = columns;
    }

    @Override
    public boolean row(Row row) {
      return found.add(row);
    }

    @Override
    public void warning(String message) {
      spec.commandLine().getErr().println("warning: " + ValueText.printable(message));
    }
  }
}
