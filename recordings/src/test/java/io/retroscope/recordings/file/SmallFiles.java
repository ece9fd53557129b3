// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Files of few events, converted as if they were large. */
public final class SmallFiles {
  private SmallFiles() {}

  /** A source of the events, in blocks of few rows and batches of few events. */
  public static SealedFileSource source(Path file, List<Event> events, int blockRows, int batchRows)
      throws IOException {
    return source(file, events, blockRows, batchRows, FileReads.Bounds.USUAL);
  }

  /** A source of which walks that share it wait for each other after so many bytes. */
  public static SealedFileSource source(
      Path file, List<Event> events, int blockRows, int batchRows, long stopBytes, long keptBytes)
      throws IOException {
    return source(file, events, blockRows, batchRows, new FileReads.Bounds(stopBytes, keptBytes));
  }

  private static SealedFileSource source(
      Path file, List<Event> events, int blockRows, int batchRows, FileReads.Bounds bounds)
      throws IOException {
    try (SealedConversion conversion = new SealedConversion(file, blockRows, batchRows)) {
      for (Event event : events) {
        conversion.event(event);
      }
      conversion.finish();
    }
    return SealedFileSource.open(file, all -> ClockOffsets.UNKNOWN, bounds);
  }
}
