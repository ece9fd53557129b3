package io.retroscope.cli.shell;

import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The settings that backslash commands change. Used by one thread. */
final class ShellSettings implements AutoCloseable {
  /** The number of rows that the prompt shows, unless the user asks for more. */
  static final long ROWS_AT_PROMPT = 40;

  private final PrintWriter standardOut;
  private OutputFormat format;
  private Expanded expanded;
  private boolean timing;
  private boolean pages;
  private long maxRows = Long.MAX_VALUE;
  private Optional<PrintWriter> file = Optional.empty();

  /** The choice between tables and records, which have one line per value. */
  enum Expanded {
    ON,
    OFF,
    /** Records if a table would be wider than the terminal. */
    AUTO
  }

  ShellSettings(PrintWriter standardOut, OutputFormat format, Expanded expanded) {
    this.standardOut = standardOut;
    this.format = format;
    this.expanded = expanded;
  }

  /**
   * Creates a printer for one result.
   *
   * @param out {@link #out}, or what is shown there later
   * @param width columns of the terminal
   * @param live whether rows arrive as they happen
   */
  ResultPrinter printer(PrintWriter out, int width, boolean live) {
    if (format != OutputFormat.ALIGNED || expanded == Expanded.OFF) {
      return format.printer(out, width, live);
    }
    return expanded == Expanded.AUTO && file.isEmpty()
        ? OutputFormat.fittedTable(out, width, live)
        : (expanded == Expanded.ON ? OutputFormat.VERTICAL : format).printer(out, width, live);
  }

  /** Whether results go to the pager: whole, and only if they do not fit the screen. */
  boolean pages() {
    return pages;
  }

  void pages(boolean on) {
    pages = on;
  }

  /** The number of rows of a result that are shown. A format for programs is never shortened. */
  long maxRows() {
    return file.isPresent() || pages || !isTable() ? Long.MAX_VALUE : maxRows;
  }

  /** Whether the format has rows for people; a chart draws all of them. */
  boolean isTable() {
    return format.isForPeople() && format != OutputFormat.CHART;
  }

  void maxRows(long rows) {
    maxRows = rows;
  }

  OutputFormat format() {
    return format;
  }

  void format(OutputFormat chosen) {
    format = chosen;
    expanded = expanded == Expanded.ON ? Expanded.OFF : expanded;
  }

  Expanded expanded() {
    return expanded;
  }

  void expanded(Expanded chosen) {
    expanded = chosen;
  }

  boolean timing() {
    return timing;
  }

  void timing(boolean on) {
    timing = on;
  }

  /** Each setting with its value and what it may be, a line for each. */
  String listed() {
    String columns =
        switch (expanded) {
          case ON -> "expanded";
          case OFF -> "all";
          case AUTO -> "fit";
        };
    return """
        columns %-8s  all, fit (the terminal) or expanded: as \\x off, auto and on
        format  %-8s  %s
        rows    %-8s  a number or all
        timing  %-8s  on or off
        pager   %-8s  on or off
        """
        .formatted(
            columns,
            format.word(),
            OutputFormat.words(),
            maxRows == Long.MAX_VALUE ? "all" : Long.toString(maxRows),
            timing ? "on" : "off",
            pages ? "on" : "off");
  }

  /** The destination of results. */
  PrintWriter out() {
    return file.orElse(standardOut);
  }

  boolean writesFile() {
    return file.isPresent();
  }

  /** Redirects results to a file, replacing its content. */
  void writeTo(Path path) throws IOException {
    PrintWriter opened = new PrintWriter(Files.newBufferedWriter(path, StandardCharsets.UTF_8));
    close();
    file = Optional.of(opened);
  }

  /** Redirects results to the standard output. */
  @Override
  public void close() {
    file.ifPresent(PrintWriter::close);
    file = Optional.empty();
  }
}
