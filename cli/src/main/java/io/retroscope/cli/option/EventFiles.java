package io.retroscope.cli.option;

import io.retroscope.rql.file.EventFileSet;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Files of events that are combined, such as one from each node. */
public final class EventFiles {
  @Option(
      names = "--file",
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "Read events from files instead of a server: NDJSON, blocks or a ShiViz log, also with"
              + " gzip or zstd; folders of such files; or - for standard input. The events of"
              + " several files are merged.")
  private List<Path> files = List.of();

  @Mixin private AlignmentOptions clocks = new AlignmentOptions();

  /** Whether a file was named on the command line. */
  public boolean given() {
    return !files.isEmpty();
  }

  /** The files' names, for messages. */
  public String names() {
    return String.join(", ", files.stream().map(Path::toString).toList());
  }

  /**
   * The files, with aligned clocks, of which nothing is read yet.
   *
   * @param err takes notes and progress
   * @throws IOException if one does not exist
   */
  public EventFileSet open(PrintWriter err) throws IOException {
    return open(List.of(), err);
  }

  /** The files and others. */
  public EventFileSet open(List<Path> others, PrintWriter err) throws IOException {
    List<Path> all = new ArrayList<>(others);
    all.addAll(files);
    return FileReading.of(all, clocks.settings(), err);
  }
}
