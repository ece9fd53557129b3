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
  private final PrintWriter standardOut;
  private OutputFormat format;
  private Expanded expanded;
  private boolean timing;
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
   * @param width columns of the terminal
   * @param live whether rows arrive as they happen
   */
  ResultPrinter printer(int width, boolean live) {
    if (format != OutputFormat.ALIGNED || expanded == Expanded.OFF) {
      return format.printer(out(), width, live);
    }
    return expanded == Expanded.AUTO && file.isEmpty()
        ? OutputFormat.fittedTable(out(), width, live)
        : (expanded == Expanded.ON ? OutputFormat.VERTICAL : format).printer(out(), width, live);
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
