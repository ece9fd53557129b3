// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A collection of events in memory that becomes a conversion into a file when there are too many.
 * Used by one thread.
 */
final class EventGathering implements EventConsumer, Closeable {
  private static final int BYTES_PER_EVENT = 64;

  private final long maxBytes;
  private final Beginning beginning;
  private @Nullable EventCollector memory = new EventCollector();
  private @Nullable SealedConversion conversion;
  private long bytes;
  private long eventCount;

  /** Begins a conversion, and says why it failed. */
  interface Beginning {
    SealedConversion begin() throws IOException;

    EventFileException failed(IOException e);
  }

  /**
   * A collection.
   *
   * @param maxBytes of lines that are kept in memory; 0 if it is known already that there are more
   */
  EventGathering(long maxBytes, Beginning beginning) {
    this.maxBytes = maxBytes;
    this.beginning = beginning;
  }

  private EventConsumer target(long moreBytes) throws IOException {
    bytes += moreBytes;
    eventCount++;
    EventCollector kept = memory;
    if (kept != null && bytes <= maxBytes) {
      return kept;
    }
    SealedConversion begun = conversion;
    if (begun == null) {
      begun = beginning.begin();
      conversion = begun;
    }
    if (kept != null) {
      memory = null;
      for (Event event : kept.events()) {
        begun.event(event);
      }
      kept.gaps().forEach(begun::gap);
      kept.reasons().forEach(begun::incomplete);
    }
    return begun;
  }

  @Override
  public void event(Event event) {
    try {
      long more = memory == null ? 0 : BYTES_PER_EVENT + EventSize.textLength(event.body());
      target(more).event(event);
    } catch (IOException e) {
      throw beginning.failed(e);
    }
  }

  @Override
  public void line(EventLine line) {
    try {
      target(line.textLength()).line(line);
    } catch (IOException e) {
      throw beginning.failed(e);
    }
  }

  @Override
  public void gap(Gap gap) throws IOException {
    present().gap(gap);
  }

  @Override
  public void incomplete(Incompleteness reason) throws IOException {
    present().incomplete(reason);
  }

  private EventConsumer present() throws IOException {
    EventCollector kept = memory;
    return kept == null ? target(0) : kept;
  }

  /** The number of events so far. */
  long eventCount() {
    return eventCount;
  }

  /** The events in memory; empty if there were too many. */
  Optional<EventCollector> memory() {
    return Optional.ofNullable(memory);
  }

  /** Completes the conversion. */
  void finish() {
    try {
      if (conversion != null) {
        conversion.finish();
      }
    } catch (IOException e) {
      throw beginning.failed(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (conversion != null) {
      conversion.close();
    }
  }
}
