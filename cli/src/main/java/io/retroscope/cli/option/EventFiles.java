// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.recordings.textlog.TextLogSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Files of events that are combined, such as one from each node. */
public final class EventFiles {
  /** The address of a server as a path, which has one slash of it. */
  private static final Pattern ADDRESS = Pattern.compile("(https?):/+(.+)");

  @Option(
      names = "--file",
      arity = "1..*",
      paramLabel = "FILE",
      description =
          "Read events from files instead of a server: NDJSON, blocks, text logs or a ShiViz log,"
              + " also with gzip or zstd; folders of such files; or - for standard input. The"
              + " events of several files are merged.")
  private List<Path> files = List.of();

  @Mixin private AlignmentOptions clocks = new AlignmentOptions();

  @Mixin private InputOptions input = new InputOptions();

  private Optional<String> node = Optional.empty();

  /** Sets the node of all text logs; empty to name them by their lines or files. */
  public EventFiles of(Optional<String> ofNode) {
    node = ofNode;
    return this;
  }

  /** Adds files that were named without the option. */
  public void add(List<Path> named) {
    files = Stream.concat(named.stream(), files.stream()).toList();
  }

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

  private static void refuseAddress(Path file) {
    Matcher address = ADDRESS.matcher(file.toString());
    if (address.matches()) {
      throw new CommandException(
          ExitCode.USAGE,
          "%s://%s is an address, not a file: --server %1$s://%2$s"
              .formatted(address.group(1), address.group(2)));
    }
  }

  /**
   * The zone of times without one, in lines and in queries.
   *
   * @throws CommandException if the option names no zone
   */
  public ZoneId zone() {
    return input.zoneOfTimes();
  }

  /** How files are read. */
  public InputSettings settings() throws IOException {
    return input.settings(node, TextLogSettings.DEFAULT_LOG);
  }

  /** The files and others. */
  public EventFileSet open(List<Path> others, PrintWriter err) throws IOException {
    List<Path> all = new ArrayList<>(others);
    all.addAll(files);
    all.forEach(EventFiles::refuseAddress);
    return FileReading.of(
        all, clocks.settings(), input.settings(node, TextLogSettings.DEFAULT_LOG), err);
  }

  /** The files, with clocks that are aligned with that of one node. */
  public EventFileSet openFrom(String reference, PrintWriter err) throws IOException {
    files.forEach(EventFiles::refuseAddress);
    return FileReading.from(
        reference,
        files,
        clocks.settings(),
        input.settings(node, TextLogSettings.DEFAULT_LOG),
        err);
  }
}
