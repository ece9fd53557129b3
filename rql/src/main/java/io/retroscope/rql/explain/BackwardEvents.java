// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The events of all logs at and before a stamp, the latest first. They are read in stretches, of
 * which each is longer than the one before while there are few events. Used by one thread.
 */
final class BackwardEvents {
  private static final long FIRST_MICROS = 1_000;
  private static final int FEW_EVENTS = 512;

  private final View view;
  private final Set<String> logs;
  private final long first;
  private final int most;
  private final List<Event> stretch = new ArrayList<>();
  private long end;
  private long micros = FIRST_MICROS;
  private int taken;
  private int next;

  /**
   * Creates events that have not been read.
   *
   * @param hlc packed, the stamp of the latest
   * @param most the largest number of events
   */
  BackwardEvents(View view, long hlc, int most) {
    this.view = view;
    this.logs = logs(view);
    this.first = view.extent().map(HlcRange::from).orElse(HlcTimestamp.MAX_PACKED);
    this.most = most;
    this.end = hlc;
  }

  /** The logs of services, without that in which recorders report on themselves. */
  static Set<String> logs(View view) {
    return view.logs().stream()
        .map(LogDescription::name)
        .filter(log -> !log.equals(Recorder.OWN_LOG))
        .collect(Collectors.toSet());
  }

  /** Returns the next event; null after the first one, or after the largest number. */
  @Nullable Event next() {
    while (next == 0 && end >= first && taken < most) {
      read();
    }
    if (next == 0 || taken == most) {
      return null;
    }
    taken++;
    return stretch.get(--next);
  }

  /** Whether there are no more events, rather than too many. */
  boolean isExhausted() {
    return next == 0 && end < first;
  }

  /** The number of events read so far. */
  int taken() {
    return taken;
  }

  private void read() {
    stretch.clear();
    long last = HlcTimestamp.micros(end);
    long from =
        last - HlcTimestamp.micros(first) <= micros ? first : HlcTimestamp.pack(last - micros);
    Iterator<Event> events = view.scan(logs, new HlcRange(from, end));
    while (events.hasNext()) {
      stretch.add(events.next());
    }
    next = stretch.size();
    micros = next < FEW_EVENTS ? 4 * micros : micros;
    end = from - 1;
  }
}
