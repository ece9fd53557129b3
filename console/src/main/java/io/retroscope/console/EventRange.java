// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The stretch of a recording that a page contains: all of it if it fits, otherwise about as many
 * events before the first episode as after it.
 *
 * @param range the stamps
 * @param leftOut the sentence about missing events; empty if there are none
 */
record EventRange(HlcRange range, String leftOut) {
  /**
   * Chooses the stretch.
   *
   * @param around packed, the stamp of the first episode, or the highest one without any
   * @param most the largest number of events
   */
  static EventRange of(View view, long around, int most) {
    HlcRange all =
        view.extent().orElse(new HlcRange(HlcTimestamp.MIN_PACKED, HlcTimestamp.MIN_PACKED));
    Deque<Long> before = new ArrayDeque<>();
    long inside = 0;
    long total = 0;
    long last = all.to();
    Iterator<Event> events = view.scan(logs(view), all);
    while (events.hasNext()) {
      long hlc = events.next().hlc();
      total++;
      if (hlc <= around) {
        before.add(hlc);
        if (before.size() > most) {
          before.removeFirst();
        }
      } else if (inside < most) {
        inside++;
        last = hlc;
      }
    }
    if (total <= most) {
      return new EventRange(all, "All " + number(total) + " events are in this page.");
    }
    long ofBefore = Math.min(before.size(), Math.max(most / 2, most - inside));
    while (before.size() > ofBefore) {
      before.removeFirst();
    }
    long wanted = most - ofBefore;
    long first = before.isEmpty() ? all.from() : before.getFirst();
    HlcRange range = new HlcRange(first, inside <= wanted ? last : end(view, around, wanted));
    return new EventRange(
        range,
        "Left out: of %s events, this page has about %s, from %s to %s."
            .formatted(number(total), number(most), time(range.from()), time(range.to())));
  }

  /** The stamp of the event that is a number of events after another stamp. */
  private static long end(View view, long after, long events) {
    Iterator<Event> following =
        view.scan(logs(view), new HlcRange(after + 1, view.extent().orElseThrow().to()));
    long last = after;
    for (long i = 0; i < events && following.hasNext(); i++) {
      last = following.next().hlc();
    }
    return last;
  }

  /** The logs of services, without that in which recorders report on themselves. */
  static Set<String> logs(View view) {
    return view.logs().stream()
        .map(LogDescription::name)
        .filter(log -> !log.equals(Recorder.OWN_LOG))
        .collect(Collectors.toSet());
  }

  private static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String time(long hlc) {
    return HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
  }
}
