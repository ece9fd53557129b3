package io.retroscope.cli.shell;

import io.retroscope.rql.print.OutputFormat;
import io.retroscope.rql.print.ResultPrinter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What backslash commands change. Used by one thread. */
final class ShellSettings implements AutoCloseable {
  private final PrintWriter standardOut;
  private OutputFormat format;
  private Expanded expanded;
  private boolean timing;
  private Optional<PrintWriter> file = Optional.empty();

  /** When tables become records, each value on its own line. */
  enum Expanded {
    ON,
    OFF,
    /** Where a table would be wider than the terminal. */
    AUTO
  }

  ShellSettings(PrintWriter standardOut, OutputFormat format, Expanded expanded) {
    this.standardOut = standardOut;
    this.format = format;
    this.expanded = expanded;
  }

  /**
   * A printer for one result.
   *
   * @param width columns of the terminal
   * @param live whether rows come as they happen
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

  /** Where results go. */
  PrintWriter out() {
    return file.orElse(standardOut);
  }

  boolean writesFile() {
    return file.isPresent();
  }

  /** Sends results to a file, replacing what it holds. */
  void writeTo(Path path) throws IOException {
    PrintWriter opened = new PrintWriter(Files.newBufferedWriter(path, StandardCharsets.UTF_8));
    close();
    file = Optional.of(opened);
  }

  /** Sends results to the standard output again. */
  @Override
  public void close() {
    file.ifPresent(PrintWriter::close);
    file = Optional.empty();
  }
}
