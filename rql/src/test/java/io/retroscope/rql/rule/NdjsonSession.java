// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.event.Event;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.NdjsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sessions over the events of files of newline-delimited JSON, in memory. */
final class NdjsonSession {
  private NdjsonSession() {}

  static LocalSession open(Path file) throws IOException {
    List<Event> events = new ArrayList<>();
    try (InputStream in = Files.newInputStream(file)) {
      NdjsonReader reader = new NdjsonReader(in, NdjsonReader.Limits.FILE);
      for (Optional<Event> next = reader.next(); next.isPresent(); next = reader.next()) {
        events.add(next.get());
      }
    }
    return new LocalSession(
        file.toString(),
        new InMemoryEventSource(events, ClockOffsets.UNKNOWN),
        QueryLimits.DEFAULT);
  }
}
