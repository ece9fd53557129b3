// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.event.Event;
import java.util.List;
import java.util.function.Consumer;

/** The log lines and messages that are stored from now on. Used by one thread; must be closed. */
public interface Arrivals extends AutoCloseable {
  /** The largest number of events that wait; a slower reader is disconnected. */
  int MAX_WAITING = 1 << 18;

  /**
   * Passes on the events that have arrived, each at least once.
   *
   * @throws LineException if more arrived than were taken, or some cannot be read for long
   */
  void take(Consumer<Event> sink);

  /** New sentences about events that are yet to be read. */
  default List<String> notes() {
    return List.of();
  }

  @Override
  void close();
}
