// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The stamps of events that have only a time. They depend on the events alone, so that a request
 * that is sent again gives the same stamps. Used by one thread.
 */
final class OtlpPlacement {
  /** Stamps in a microsecond, divided by its nanoseconds. */
  private static final int STAMPS_PER_NANO = 4;

  private final List<NumberedEvent> events = new ArrayList<>();

  /**
   * The stamp for a time, before others of the same time are distinguished.
   *
   * @param nanos unsigned nanoseconds since the epoch
   * @throws IllegalArgumentException if it is too far in the future for a stamp
   */
  static long stamp(long nanos) {
    long micros = Long.divideUnsigned(nanos, 1_000);
    int logical = (int) Long.remainderUnsigned(nanos, 1_000) * STAMPS_PER_NANO;
    return HlcTimestamp.pack(micros, logical);
  }

  /** A time whose stamp is above another one of about the same microsecond. */
  static long nanosAfter(long hlc) {
    int nanos = Math.min(999, HlcTimestamp.logical(hlc) / STAMPS_PER_NANO + 1);
    return HlcTimestamp.micros(hlc) * 1_000 + nanos;
  }

  /** Adds an event at the stamp for its time. */
  void add(NumberedEvent event) {
    events.add(event);
  }

  /** The events in the order of their times, each node's at distinct stamps. */
  List<NumberedEvent> placed() {
    events.sort(Comparator.comparingLong(numbered -> numbered.event().hlc()));
    Map<String, Long> last = new HashMap<>();
    List<NumberedEvent> placed = new ArrayList<>(events.size());
    for (NumberedEvent numbered : events) {
      Event event = numbered.event();
      Long before = last.get(event.node());
      long hlc = before == null ? event.hlc() : Math.max(event.hlc(), before + 1);
      last.put(event.node(), hlc);
      placed.add(
          new NumberedEvent(
              numbered.number(), new Event(event.node(), event.log(), hlc, event.body())));
    }
    return placed;
  }

  /** The lowest stamp of each node. */
  static Map<String, Long> firstOf(List<NumberedEvent> placed) {
    Map<String, Long> first = new HashMap<>();
    placed.forEach(numbered -> first.putIfAbsent(numbered.event().node(), numbered.event().hlc()));
    return first;
  }
}
