// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The settings that backslash commands change. Used by one thread. */
final class ShellSettings implements AutoCloseable {
  /** The number of rows that the prompt shows, unless the user wants more. */
  static final long ROWS_AT_PROMPT = 40;

  /** The names that {@code \\set} knows. */
  static final List<String> NAMES = List.of("columns", "format", "rows", "timing", "pager", "zone");

  private final PrintWriter standardOut;
  private OutputFormat format;
  private Expanded expanded;
  private boolean timing;
  private boolean pages;
  private long maxRows = Long.MAX_VALUE;
  private Optional<PrintWriter> file = Optional.empty();
  private Optional<ZoneId> zone = Optional.empty();

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
    if (format == OutputFormat.ALIGNED && expanded == Expanded.AUTO && file.isEmpty()) {
      return OutputFormat.fittedTable(out, width, live);
    }
    boolean isRecords = format == OutputFormat.ALIGNED && expanded == Expanded.ON;
    OutputFormat shown = isRecords ? OutputFormat.VERTICAL : format;
    return live ? shown.livePrinter(out, width) : shown.printer(out, width, false);
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

  /**
   * Sets the zone of the times that are shown and typed.
   *
   * @param name utc, local, or the name of a zone
   * @throws DateTimeException if there is no such zone
   */
  void zone(String name) {
    zone =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "utc", "z" -> Optional.empty();
          case "local" -> Optional.of(ZoneId.systemDefault());
          default -> Optional.of(ZoneId.of(name));
        };
  }

  String zoneName() {
    return zone.map(ZoneId::getId).orElse("utc");
  }

  /** The times of rows in the chosen zone; formats for programs always have UTC. */
  Optional<ZonedTimes> zonedTimes() {
    return format.isForPeople() ? zone.map(ZonedTimes::new) : Optional.empty();
  }

  /** The time of day in the chosen zone, or else in that of the machine. */
  ZonedDateTime now(ShellClock clock) {
    return zone.map(clock.now()::withZoneSameInstant).orElseGet(clock::now);
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
    zone    %-8s  utc, local, or a zone such as Europe/Berlin
    """
        .formatted(
            columns,
            format.word(),
            OutputFormat.words(),
            maxRows == Long.MAX_VALUE ? "all" : Long.toString(maxRows),
            timing ? "on" : "off",
            pages ? "on" : "off",
            zoneName());
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
    PrintWriter opened =
        new PrintWriter(new OutputStreamWriter(OutputFile.open(path), StandardCharsets.UTF_8));
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
