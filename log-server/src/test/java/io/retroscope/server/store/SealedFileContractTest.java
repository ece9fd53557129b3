// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.Event;
import io.retroscope.recordings.file.SealedConversion;
import io.retroscope.recordings.file.SealedFileSource;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** The contract of sealed blocks in a single file, converted from events in any order. */
class SealedFileContractTest extends SealedSourceContract {
  private @Nullable SealedFileSource source;

  @Override
  EventSource sealed(List<Event> arriving) throws IOException {
    close();
    Files.createDirectories(folder);
    Path file = folder.resolve("events.rtsf");
    try (SealedConversion conversion = new SealedConversion(file)) {
      for (Event event : arriving) {
        conversion.event(event);
      }
      conversion.finish();
    }
    SealedFileSource opened = SealedFileSource.open(file, events -> ClockOffsets.UNKNOWN);
    source = opened;
    return opened;
  }

  @AfterEach
  void close() throws IOException {
    if (source != null) {
      source.close();
    }
  }
}
