// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.plan.TimeWindow;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * The stamp up to which the stored events are complete. Nothing is read before a method needs it.
 * Used by one thread.
 *
 * @param watermark packed, the stamp up to which every event of a server is stored; empty for
 *     files, which are complete up to their last stamp and unknown after it
 * @param recorded packed, the last stamp of the recordings that have all events of a query; empty
 *     if there are others
 * @param view the stored events
 * @param clock packed, the stamp that NOW means
 * @param assumesComplete whether nodes that are silent, and missing blocks, are taken to hold
 *     nothing
 */
public record Horizon(
    OptionalLong watermark,
    OptionalLong recorded,
    EventSource.View view,
    LongSupplier clock,
    boolean assumesComplete) {
  /** The horizon of all stored events. */
  public Horizon(
      OptionalLong watermark, EventSource.View view, LongSupplier clock, boolean assumesComplete) {
    this(watermark, OptionalLong.empty(), view, clock, assumesComplete);
  }

  /** That of a query whose range ends at a time that is given. */
  public Horizon of(AnalyzedQuery query) {
    return isEndGiven(query.query()) ? ofEvents(query) : this;
  }

  /**
   * That of the events that a query reads: the end of their recordings, if none of their nodes
   * continues after it.
   */
  public Horizon ofEvents(AnalyzedQuery query) {
    OptionalLong end = new RecordingEnds(view).of(ReadEvents.writers(view, query));
    return end.isPresent() && end.getAsLong() <= hlc()
        ? new Horizon(watermark, end, view, clock, assumesComplete)
        : this;
  }

  /** The packed stamp that NOW means. */
  public long now() {
    return clock.getAsLong();
  }

  /**
   * Whether events up to a stamp may still arrive, or are not in the file. The whole microsecond of
   * the last stamp is known: a time of day has no finer digits.
   */
  public boolean isBefore(long hlc) {
    long last = hlc();
    boolean isWhole = isRecording() || watermark.getAsLong() == HlcTimestamp.MAX_PACKED;
    return isWhole ? HlcTimestamp.micros(hlc) > HlcTimestamp.micros(last) : hlc > last;
  }

  /** Whether everything after the last stamp was not recorded. */
  private boolean isRecording() {
    return watermark.isEmpty() || recorded.isPresent();
  }

  /** The part of a range given by ON TIME that is complete; empty if none is. */
  public Optional<TimeWindow> part(Statement.Query query, TimeWindow asked) {
    return query.onTime().isEmpty() ? Optional.of(asked) : complete(asked);
  }

  /** The part of a range that is complete; empty if none is. */
  public Optional<TimeWindow> complete(TimeWindow asked) {
    return isBefore(asked.range().to()) ? asked.upTo(hlc()) : Optional.of(asked);
  }

  /** Packed: every event up to here is stored; below every event if there are none. */
  long hlc() {
    if (recorded.isPresent()) {
      return recorded.getAsLong();
    }
    long last = view.extent().map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED);
    return watermark.orElse(last) == HlcTimestamp.MAX_PACKED ? last : watermark.orElse(last);
  }

  /** The reason why nothing is known after the last complete stamp. */
  public Incompleteness.AfterEnd reason() {
    return new Incompleteness.AfterEnd(hlc(), sentence());
  }

  /** Says how far the answer is complete. */
  public String sentence() {
    long hlc = hlc();
    if (hlc == HlcTimestamp.MIN_PACKED) {
      return watermark.isEmpty()
          ? "there are no events"
          : "nothing is complete yet: no node has sent events";
    }
    String upTo = "complete only up to " + HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
    if (isRecording()) {
      return upTo + ", the last stamp of the events";
    }
    double seconds = Math.max(0, HlcTimestamp.micros(now()) - HlcTimestamp.micros(hlc)) / 1e6;
    return "%s (%s ago)".formatted(upTo, roughly(seconds));
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

  /**
   * Whether a query names the end of its range itself. Without ON TIME, and up to NOW, the range
   * ends where the known events do.
   */
  public static boolean isEndGiven(Statement.Query query) {
    return query.onTime().map(onTime -> onTime.accept(END)).orElse(false);
  }

  private static final TimePoint.Visitor<Boolean> IS_GIVEN =
      new TimePoint.Visitor<>() {
        @Override
        public Boolean iso(TimePoint.Iso iso) {
          return true;
        }

        @Override
        public Boolean hlc(TimePoint.Hlc hlc) {
          return true;
        }

        @Override
        public Boolean now(TimePoint.Now now) {
          return now.minusMicros() > 0;
        }
      };

  private static final OnTime.Visitor<Boolean> END =
      new OnTime.Visitor<>() {
        @Override
        public Boolean at(OnTime.At at) {
          return at.point().accept(IS_GIVEN);
        }

        @Override
        public Boolean between(OnTime.Between between) {
          return between.to().accept(IS_GIVEN);
        }

        @Override
        public Boolean last(OnTime.Last last) {
          return false;
        }
      };
}
