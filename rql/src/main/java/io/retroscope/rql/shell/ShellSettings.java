package io.retroscope.rql.shell;

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
  private boolean expanded;
  private boolean timing;
  private Optional<PrintWriter> file = Optional.empty();

  ShellSettings(PrintWriter standardOut, OutputFormat format) {
    this.standardOut = standardOut;
    this.format = format;
  }

  /** How results are printed: tables as records while {@code \x} is on. */
  OutputFormat format() {
    return expanded && format == OutputFormat.ALIGNED ? OutputFormat.VERTICAL : format;
  }

  void format(OutputFormat chosen) {
    format = chosen;
    expanded = false;
  }

  /** Turns records on or off; returns whether they are on. */
  boolean toggleExpanded() {
    expanded = !expanded;
    return expanded;
  }

  boolean timing() {
    return timing;
  }

  /** Turns timing on or off; returns whether it is on. */
  boolean toggleTiming() {
    timing = !timing;
    return timing;
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
