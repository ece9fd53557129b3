// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.util.ArrayList;
import java.util.List;

/** A collector of events in memory, up to a limit. Used by one thread. */
public final class EventCollector implements EventConsumer {
  /** The most events that are read into memory. */
  public static final int MAX_EVENTS = 20_000_000;

  private final int maxEvents;
  private final List<Event> events = new ArrayList<>();
  private final List<Gap> gaps = new ArrayList<>();
  private final List<Incompleteness> reasons = new ArrayList<>();

  /** Creates a collector with the limit {@link #MAX_EVENTS}. */
  public EventCollector() {
    this(MAX_EVENTS);
  }

  /** Creates a collector with a limit. */
  public EventCollector(int maxEvents) {
    this.maxEvents = maxEvents;
  }

  /**
   * Takes the next event.
   *
   * @throws EventFileException if there are too many
   */
  @Override
  public void event(Event event) {
    if (events.size() == maxEvents) {
      throw new EventFileException(
          "more than "
              + maxEvents
              + " events are too many for memory: import them into a log server");
    }
    events.add(event);
  }

  @Override
  public void gap(Gap gap) {
    gaps.add(gap);
  }

  @Override
  public void incomplete(Incompleteness reason) {
    reasons.add(reason);
  }

  /** The events so far, in the order of their arrival. */
  public List<Event> events() {
    return events;
  }

  /** The losses reported so far. */
  public List<Gap> gaps() {
    return gaps;
  }

  /** The reasons why the events may be incomplete besides. */
  public List<Incompleteness> reasons() {
    return reasons;
  }
}
