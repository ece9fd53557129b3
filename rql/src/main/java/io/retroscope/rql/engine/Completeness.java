package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.plan.TimeWindow;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * How far the stored events are complete. Nothing is read before a method needs it. Used by one
 * thread.
 *
 * @param watermark packed, the stamp up to which every event is stored; empty for files, which
 *     receive no events
 * @param view the stored events
 * @param clock packed, the stamp that NOW means
 */
record Completeness(OptionalLong watermark, EventSource.View view, LongSupplier clock) {
  /** The packed stamp that NOW means. */
  long now() {
    return clock.getAsLong();
  }

  /** Whether events up to a stamp may still arrive. */
  boolean isBefore(long hlc) {
    return watermark.isPresent() && hlc > hlc();
  }

  /** The part of a range given by ON TIME that is complete; empty if none is. */
  Optional<TimeWindow> part(Statement.Query query, TimeWindow asked) {
    return query.onTime().isEmpty() || watermark.isEmpty() ? Optional.of(asked) : asked.upTo(hlc());
  }

  /** The part of a range that is complete; empty if none is. */
  Optional<TimeWindow> complete(TimeWindow asked) {
    return watermark.isEmpty() ? Optional.of(asked) : asked.upTo(hlc());
  }

  private long hlc() {
    long last = view.extent().map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED);
    return watermark.orElse(last) == HlcTimestamp.MAX_PACKED ? last : watermark.orElse(last);
  }

  /** Says how far the answer is complete. */
  String sentence() {
    long hlc = hlc();
    if (hlc == HlcTimestamp.MIN_PACKED) {
      return "nothing is complete yet: no node has sent events";
    }
    double seconds = Math.max(0, HlcTimestamp.micros(now()) - HlcTimestamp.micros(hlc)) / 1e6;
    return String.format(
        Locale.ROOT,
        "complete only up to %s (%s ago)",
        HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc)),
        roughly(seconds));
  }

  private static String roughly(double seconds) {
    if (seconds < 120) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    double hours = seconds / 3_600;
    if (hours < 2) {
      return String.format(Locale.ROOT, "%.0f min", seconds / 60);
    }
    return hours < 48
        ? String.format(Locale.ROOT, "%.0f hours", hours)
        : String.format(Locale.ROOT, "%.0f days", hours / 24);
  }
}
