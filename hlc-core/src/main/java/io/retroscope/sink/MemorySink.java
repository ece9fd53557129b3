// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A sink that keeps the newest blocks in memory, for tests and for services that inspect
 * themselves. Thread-safe.
 */
public final class MemorySink implements EventSink {
  /** The default limit. */
  public static final int DEFAULT_MAX_EVENTS = 1_000_000;

  private final int maxEvents;
  private final List<EventBlock> blocks = new ArrayList<>();
  private int eventCount;

  /** A sink with a capacity of {@link #DEFAULT_MAX_EVENTS}. */
  public MemorySink() {
    this(DEFAULT_MAX_EVENTS);
  }

  /**
   * A sink.
   *
   * @param maxEvents the number of events and empty blocks to keep; the oldest blocks are discarded
   */
  public MemorySink(int maxEvents) {
    this.maxEvents = maxEvents;
  }

  @Override
  public synchronized void accept(EventBlock block) {
    blocks.add(block);
    eventCount += cost(block);
    while (eventCount > maxEvents) {
      eventCount -= cost(blocks.remove(0));
    }
  }

  private static int cost(EventBlock block) {
    return Math.max(1, block.size());
  }

  /** The blocks, including heartbeats, in the order of arrival. */
  public synchronized List<EventBlock> blocks() {
    return List.copyOf(blocks);
  }

  /** The events of all blocks, ordered by stamp within each. */
  public synchronized List<Event> events() {
    List<Event> events = new ArrayList<>();
    blocks.forEach(block -> events.addAll(block.events()));
    return events;
  }

  @Override
  public boolean flush(Duration timeout) {
    return true;
  }

  @Override
  public void close() {}
}
