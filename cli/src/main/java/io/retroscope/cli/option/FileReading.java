// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.file.InputException;
import io.retroscope.cli.process.StandardStreams;
import io.retroscope.cli.shiviz.ShivizImport;
import io.retroscope.event.Event;
import io.retroscope.recordings.file.ConvertedCopies;
import io.retroscope.recordings.file.EventFile;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** How commands read files of events: all formats, with a line of progress, and with copies. */
public final class FileReading {
  /** The log of events from texts with vector clocks, as import names it. */
  private static final String SHIVIZ_LOG = "shiviz";

  private FileReading() {}

  /**
   * The files, of which nothing is read yet.
   *
   * @param err takes notes and, if it is a terminal, the progress
   * @throws IOException if one does not exist
   */
  public static EventFileSet of(
      List<Path> files, AlignmentSettings clocks, InputSettings input, PrintWriter err)
      throws IOException {
    return of(files, events -> alignment(events, clocks).offsets(), input, err);
  }

  /**
   * The same files, with clocks that are aligned with that of one node, whichever node is the
   * driver.
   *
   * @throws IOException if one does not exist
   */
  static EventFileSet from(
      String reference,
      List<Path> files,
      AlignmentSettings clocks,
      InputSettings input,
      PrintWriter err)
      throws IOException {
    return of(files, events -> alignment(events, clocks).offsetsFrom(reference), input, err);
  }

  private static EventFileSet of(
      List<Path> files,
      Function<Iterable<Event>, ClockOffsets> clocks,
      InputSettings input,
      PrintWriter err)
      throws IOException {
    return new EventFileSet(
        files,
        new EventFileSet.Settings(
            clocks,
            (name, text, consumer) -> readText(name, text, input.allowsGaps(), consumer),
            new ReadingProgress(err, StandardStreams.system().errIsTerminal()),
            Optional.of(ConvertedCopies.ofUser(System.getenv())),
            System.in,
            EventFileSet.Settings.usualMemoryBytes(),
            input));
  }

  /**
   * Refuses files in which a node has two different events with one stamp.
   *
   * @throws EventFileException if one has, with both places
   * @throws IOException if a file cannot be read
   */
  public static void refuseClashes(List<Path> files) throws IOException {
    new EventFileSet(files, new EventFileSet.Settings(events -> ClockOffsets.UNKNOWN)).check();
  }

  private static ClockAlignment alignment(Iterable<Event> events, AlignmentSettings settings) {
    ClockAlignment alignment = new ClockAlignment(settings);
    events.forEach(alignment::record);
    return alignment;
  }

  /** Reads a text with vector clocks, as {@link EventFile.ClockText} has it. */
  private static void readText(String name, String text, boolean allowsGaps, EventConsumer consumer)
      throws IOException {
    ShivizImport.Form form =
        new ShivizImport.Form(SHIVIZ_LOG, Optional.empty(), Optional.empty(), allowsGaps);
    try {
      ShivizImport.read(Map.of(name, text), form).give(consumer);
    } catch (InputException e) {
      throw new EventFileException(String.valueOf(e.getMessage()), e);
    }
  }
}
