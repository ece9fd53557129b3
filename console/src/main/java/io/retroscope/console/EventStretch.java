// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Selected events around a stamp, of a part of the history that has a bound in time and in the
 * number of events that are read. Immutable.
 *
 * @param events in the order of their stamps
 * @param from packed, the first stamp of which all events were read
 * @param until packed, the last such stamp; below {@code from} if nothing could be read
 */
record EventStretch(List<Event> events, long from, long until) {
  private static final long FIRST_MICROS = 1_000;
  private static final int GROWTH = 4;

  /**
   * Reads backwards from a stamp, in parts that grow, because a history is read forwards.
   *
   * @param first packed, the lowest stamp of interest
   * @param last packed, the highest one
   * @param most the number of events that may be read
   */
  static EventStretch before(
      View view, Set<String> logs, long first, long last, long most, Predicate<Event> selected) {
    List<List<Event>> parts = new ArrayList<>();
    long from = last + 1;
    long micros = FIRST_MICROS;
    long left = most;
    while (from > first && left > 0) {
      long next =
          Math.max(first, HlcTimestamp.pack(Math.max(0, HlcTimestamp.micros(from) - micros)));
      List<Event> part = new ArrayList<>();
      Iterator<Event> events = view.scan(logs, new HlcRange(next, from - 1));
      while (left > 0 && events.hasNext()) {
        left--;
        Event event = events.next();
        if (selected.test(event)) {
          part.add(event);
        }
      }
      if (!events.hasNext()) {
        parts.add(0, part);
        from = next;
        micros *= GROWTH;
      }
    }
    return new EventStretch(parts.stream().flatMap(List::stream).toList(), from, last);
  }

  /**
   * Reads forwards from a stamp.
   *
   * @param first packed, the lowest stamp of interest
   * @param last packed, the highest one, not below
   * @param most the number of events that may be read
   */
  static EventStretch after(
      View view, Set<String> logs, long first, long last, long most, Predicate<Event> selected) {
    List<Event> found = new ArrayList<>();
    Iterator<Event> events = view.scan(logs, new HlcRange(first, last));
    long until = last;
    long previous = first;
    for (long read = 0; events.hasNext() && until == last; read++) {
      Event event = events.next();
      if (read >= most && event.hlc() > previous) {
        until = event.hlc() - 1;
      } else if (selected.test(event)) {
        found.add(event);
      }
      previous = event.hlc();
    }
    return new EventStretch(List.copyOf(found), first, until);
  }
}
