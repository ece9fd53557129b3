// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.diagnostic.DiagnosticPrinter;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import io.retroscope.rql.print.ValueText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that prints what a report of a bug needs, without secrets. */
@Command(
    name = "bug-report",
    description = {
      "Print what a report of a bug needs: versions, settings and catalogs.",
      "Values of settings that may be secret are left out. Names of nodes, logs and variables are",
      "not, and neither is the statement: look through the report before you publish it."
    },
    footer = {
      "",
      "Examples:",
      "  retroscope bug-report > report.txt",
      "  retroscope bug-report --file events.ndjson --query 'SELECT r1 FROM setd'",
      "  retroscope bug-report --server http://127.0.0.1:7340"
    })
public final class BugReportCommand implements Callable<Integer> {
  /** The rows of one answer that are printed; more would not help its reader. */
  static final int MAX_ROWS = 100;

  private static final int WIDTH = 100;
  private static final List<String> CATALOGS =
      List.of("SHOW LOGS", "SHOW NODES", "SHOW VARIABLES", "SHOW ALIGNMENT", "SHOW QUERIES");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private QueryTarget target = new QueryTarget();

  @Parameters(arity = "0..*", paramLabel = "FILE", description = "The same as --file FILE.")
  private List<Path> files = List.of();

  @Option(
      names = "--query",
      paramLabel = "STATEMENT",
      description = "Run this statement without its rows, and print its EXPLAIN ANALYZE.")
  private Optional<String> query = Optional.empty();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.println("# Versions");
    versions(spec.root().version()[0]).forEach(out::println);
    out.println();
    out.println("# Settings of this process");
    ReportedSettings.of(System.getenv()).forEach(out::println);
    out.println();
    out.println("# Catalogs");
    try (Session session = target.open(files, spec.commandLine().getErr())) {
      out.println("of " + session.target());
      target.server(files).ifPresent(server -> health(server, out));
      CATALOGS.forEach(statement -> answer(session, statement, out));
      query.ifPresent(statement -> answer(session, explained(statement), out));
    } catch (IOException | ProblemException | CommandException e) {
      // A report without the catalogs is better than none: it may be about this failure.
      out.println("error: " + e.getMessage());
    }
    out.flush();
    return ExitCode.OK.number();
  }

  /** Prints the server's version and state; throws if it cannot be reached. */
  private static void health(ServerClient server, PrintWriter out) {
    out.println(JsonValues.text(server.fields("/v1/health", Optional.empty())));
  }

  private static List<String> versions(String own) {
    Runtime runtime = Runtime.getRuntime();
    return List.of(
        own,
        "Java %s, %s %s"
            .formatted(
                System.getProperty("java.version"),
                System.getProperty("java.vendor"),
                System.getProperty("java.vm.name")),
        "%s %s, %s"
            .formatted(
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("os.arch")),
        "%d processors, heap of at most %d MiB"
            .formatted(runtime.availableProcessors(), runtime.maxMemory() >> 20),
        "encoding %s, locale %s"
            .formatted(System.getProperty("native.encoding"), Locale.getDefault().toLanguageTag()));
  }

  private static String explained(String statement) {
    return statement.strip().toUpperCase(Locale.ROOT).startsWith("EXPLAIN")
        ? statement
        : "EXPLAIN ANALYZE " + statement;
  }

  /** Prints a statement and its answer. An error is part of the report, and does not end it. */
  private static void answer(Session session, String statement, PrintWriter out) {
    out.println();
    out.println(statement);
    ReportedAnswer answer = new ReportedAnswer(out);
    try {
      session.run(statement, answer);
    } catch (RqlException e) {
      out.print(DiagnosticPrinter.print(e));
    } catch (IOException | ProblemException e) {
      out.println("error: " + e.getMessage());
    }
    answer.end();
  }

  /** The first rows of an answer as a table. */
  private static final class ReportedAnswer implements RowSink {
    private final PrintWriter out;
    private final ResultPrinter printer;
    private boolean begun;
    private int rowCount;

    ReportedAnswer(PrintWriter out) {
      this.out = out;
      this.printer = OutputFormat.ALIGNED.printer(out, WIDTH, false);
    }

    @Override
    public void columns(List<Column> columns) {
      begun = true;
      printer.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      rowCount++;
      if (rowCount <= MAX_ROWS) {
        printer.row(row);
      }
      return rowCount <= MAX_ROWS;
    }

    @Override
    public void warning(String message) {
      out.println("warning: " + ValueText.printable(message));
    }

    void end() {
      if (begun) {
        printer.end();
      }
      if (rowCount > MAX_ROWS) {
        out.println("(there are more)");
      }
    }
  }
}
