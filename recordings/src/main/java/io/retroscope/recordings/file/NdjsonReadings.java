// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.NdjsonException;
import io.retroscope.rql.json.NdjsonReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The events of newline-delimited JSON as readings, whose stamps are not used: of an event without
 * a raw reading, the physical part of the stamp is the reading. Used by one thread.
 */
final class NdjsonReadings implements ReadingSource {
  private final String name;
  private final InputStream in;
  private final NdjsonReader reader;
  private final List<Incompleteness> reasons = new ArrayList<>();

  NdjsonReadings(String name, InputStream in) {
    this.name = name;
    this.in = in;
    reader = new NdjsonReader(in, NdjsonReader.Limits.FILE);
  }

  @Override
  public @Nullable ClockReading next() throws IOException {
    try {
      Optional<Event> event = reader.next();
      return event.isEmpty() ? null : reading(event.get());
    } catch (NdjsonException e) {
      if (!reader.isCutOff()) {
        throw EventFile.refused(name, e);
      }
      reasons.add(EventFile.lastLine(name, e));
      return null;
    }
  }

  private ClockReading reading(Event event) {
    long micros = event.hasPhysical() ? event.physicalMicros() : HlcTimestamp.micros(event.hlc());
    return new ClockReading(
        event.node(), event.log(), micros, name, reader.lineNumber(), List.of(body(event.body())));
  }

  /** A body without stamps of another clock. */
  private static EventBody body(EventBody body) {
    return body instanceof EventBody.Start start
        ? new EventBody.Start(
            start.incarnation(), HlcTimestamp.MIN_PACKED, start.predecessor(), start.spill())
        : body;
  }

  @Override
  public List<Incompleteness> reasons() {
    List<Incompleteness> all = new ArrayList<>(reasons);
    all.addAll(reader.reasons());
    if (!reader.gaps().isEmpty()) {
      all.add(
          new Incompleteness.CutOff(
              name + ": declares lost events, whose place among derived stamps is not known"));
    }
    return all;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
