// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.timeline.TimelineBlocks;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** A source of the events in files, which are read when a view is first used. Thread-safe. */
public final class LazyEventSource implements EventSource, Closeable {
  private final EventFileSet files;
  private Optional<EventFileSet.Opened> opened = Optional.empty();

  LazyEventSource(EventFileSet files) {
    this.files = files;
  }

  /** Opens a view, whose methods throw an {@link EventFileException} if files cannot be read. */
  @Override
  public View open() {
    return new LazyView(this::read);
  }

  private View read() {
    return source().open();
  }

  private synchronized EventSource source() {
    if (opened.isEmpty()) {
      try {
        opened = Optional.of(files.open());
      } catch (IOException e) {
        throw new EventFileException(
            "cannot read %s: %s".formatted(files.names(), e.getMessage()), e);
      }
    }
    return opened.get().source();
  }

  /**
   * The blocks of a timeline.
   *
   * @throws EventFileException if files cannot be read
   */
  public TimelineBlocks openTimeline() {
    EventSource read = source();
    if (read instanceof SealedFileSource sealed) {
      return sealed.openTimeline();
    }
    if (read instanceof InMemoryEventSource inMemory) {
      return new MemoryTimeline(inMemory);
    }
    throw new AssertionError("no blocks in " + read);
  }

  @Override
  public synchronized void close() throws IOException {
    if (opened.isPresent()) {
      opened.get().closing().close();
    }
  }
}
