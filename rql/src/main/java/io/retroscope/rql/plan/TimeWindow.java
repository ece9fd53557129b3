// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.TimePoint;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.List;
import java.util.Optional;

/**
 * The range of stamps that a query walks.
 *
 * @param single whether the range has only one cut, at its start, which is always evaluated
 */
public record TimeWindow(HlcRange range, boolean single) {
  /**
   * Returns the window of a query over the stored events; of a STREAM, the part before live events.
   *
   * @param extent the range of the stored events
   * @param now packed, the stamp that NOW means
   * @return empty if nothing is stored and no time is given
   * @throws RqlException if the range ends before it starts
   */
  public static Optional<TimeWindow> of(
      String text, Statement.Query query, Optional<HlcRange> extent, long now) {
    if (query.stream()) {
      return extent.flatMap(stored -> history(query, stored.to(), now));
    }
    if (query.onTime().isEmpty()) {
      return extent.map(stored -> new TimeWindow(stored, false));
    }
    OnTime onTime = query.onTime().get();
    TimeWindow window = onTime.accept(new Past(now));
    if (window.range.from() > window.range.to()) {
      Diagnostic backward = ErrorCode.BACKWARD_RANGE.at(onTime.range());
      throw new RqlException(text, List.of(backward.withHelp("write the earlier time first")));
    }
    return Optional.of(window);
  }

  /**
   * Returns the part of this window up to a stamp, for a single cut the one at that stamp; empty if
   * the window begins later.
   */
  public Optional<TimeWindow> upTo(long hlc) {
    if (range.to() <= hlc) {
      return Optional.of(this);
    }
    if (single && hlc > HlcTimestamp.MIN_PACKED) {
      return Optional.of(new TimeWindow(new HlcRange(hlc, hlc), true));
    }
    return range.from() > hlc
        ? Optional.empty()
        : Optional.of(new TimeWindow(new HlcRange(range.from(), hlc), single));
  }

  /** Returns the packed stamp of the cut at a point in time, as ON TIME has it. */
  public static long at(TimePoint point, long now) {
    return point.accept(new LastTick(now));
  }

  private static Optional<TimeWindow> history(Statement.Query stream, long last, long now) {
    long from = streamStart(stream, last, now);
    return stream.onTime().isEmpty() || from > last
        ? Optional.empty()
        : Optional.of(new TimeWindow(new HlcRange(from, last), false));
  }

  /** Returns the packed stamp at which a STREAM starts; without ON TIME this is the watermark. */
  public static long streamStart(Statement.Query query, long watermark, long now) {
    return query.onTime().map(onTime -> onTime.accept(new StreamStart(now))).orElse(watermark);
  }

  private static long before(long now, long micros) {
    return HlcTimestamp.pack(Math.max(0, HlcTimestamp.micros(now) - micros));
  }

  /** The window that ON TIME selects from the past. */
  private record Past(long now) implements OnTime.Visitor<TimeWindow> {
    @Override
    public TimeWindow at(OnTime.At at) {
      long stamp = at.point().accept(new LastTick(now));
      return new TimeWindow(new HlcRange(stamp, stamp), true);
    }

    @Override
    public TimeWindow between(OnTime.Between between) {
      long from = between.from().accept(new FirstTick(now));
      return new TimeWindow(new HlcRange(from, between.to().accept(new LastTick(now))), false);
    }

    @Override
    public TimeWindow last(OnTime.Last last) {
      return new TimeWindow(new HlcRange(before(now, last.micros()), now), false);
    }
  }

  /** The packed stamp at which ON TIME starts a STREAM. */
  private record StreamStart(long now) implements OnTime.Visitor<Long> {
    @Override
    public Long at(OnTime.At at) {
      return at.point().accept(new FirstTick(now));
    }

    @Override
    public Long between(OnTime.Between between) {
      return between.from().accept(new FirstTick(now));
    }

    @Override
    public Long last(OnTime.Last last) {
      return before(now, last.micros());
    }
  }

  /** The first tick of a point: an ISO time covers all its logical ticks. */
  private record FirstTick(long now) implements TimePoint.Visitor<Long> {
    @Override
    public Long iso(TimePoint.Iso iso) {
      return HlcTimestamp.pack(iso.micros());
    }

    @Override
    public Long hlc(TimePoint.Hlc hlc) {
      return hlc.packed();
    }

    @Override
    public Long now(TimePoint.Now point) {
      return point.minusMicros() == 0 ? now : before(now, point.minusMicros());
    }
  }

  /** The last tick of a point. */
  private record LastTick(long now) implements TimePoint.Visitor<Long> {
    @Override
    public Long iso(TimePoint.Iso iso) {
      return HlcTimestamp.pack(iso.micros(), HlcTimestamp.MAX_LOGICAL);
    }

    @Override
    public Long hlc(TimePoint.Hlc hlc) {
      return hlc.packed();
    }

    @Override
    public Long now(TimePoint.Now point) {
      return point.minusMicros() == 0
          ? now
          : HlcTimestamp.pack(
              HlcTimestamp.micros(before(now, point.minusMicros())), HlcTimestamp.MAX_LOGICAL);
    }
  }
}
