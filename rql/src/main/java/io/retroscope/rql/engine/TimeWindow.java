package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.OnTime;
import io.retroscope.rql.ast.Statement.TimePoint;
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
record TimeWindow(HlcRange range, boolean single) {
  /**
   * Returns the window of a query over the stored events.
   *
   * @param extent the range of the stored events
   * @param now packed, the value of NOW
   * @return empty if nothing is stored and no time is given; for a STREAM, the history before the
   *     live events
   * @throws RqlException if the range ends before it starts
   */
  static Optional<TimeWindow> of(
      String text, Statement.Query query, Optional<HlcRange> extent, long now) {
    if (query.stream()) {
      return extent.flatMap(stored -> history(query, stored.to(), now));
    }
    if (query.onTime().isEmpty()) {
      return extent.map(stored -> new TimeWindow(stored, false));
    }
    OnTime onTime = query.onTime().get();
    if (onTime instanceof OnTime.At at) {
      long stamp = last(at.point(), now);
      return Optional.of(new TimeWindow(new HlcRange(stamp, stamp), true));
    }
    HlcRange range =
        onTime instanceof OnTime.Between between
            ? new HlcRange(first(between.from(), now), last(between.to(), now))
            : new HlcRange(before(now, ((OnTime.Last) onTime).micros()), now);
    if (range.from() > range.to()) {
      Diagnostic backward = ErrorCode.BACKWARD_RANGE.at(onTime.range());
      throw new RqlException(text, List.of(backward.withHelp("write the earlier time first")));
    }
    return Optional.of(new TimeWindow(range, false));
  }

  private static Optional<TimeWindow> history(Statement.Query stream, long last, long now) {
    long from = streamStart(stream, last, now);
    return stream.onTime().isEmpty() || from > last
        ? Optional.empty()
        : Optional.of(new TimeWindow(new HlcRange(from, last), false));
  }

  /**
   * Returns the packed stamp at which a STREAM starts; the watermark unless ON TIME selects
   * history.
   */
  static long streamStart(Statement.Query query, long watermark, long now) {
    if (query.onTime().isEmpty()) {
      return watermark;
    }
    OnTime onTime = query.onTime().get();
    if (onTime instanceof OnTime.At at) {
      return first(at.point(), now);
    }
    return onTime instanceof OnTime.Last last
        ? before(now, last.micros())
        : first(((OnTime.Between) onTime).from(), now);
  }

  /** The first tick of a point: an ISO time covers all its logical ticks. */
  private static long first(TimePoint point, long now) {
    if (point instanceof TimePoint.Iso iso) {
      return HlcTimestamp.pack(iso.micros());
    }
    if (point instanceof TimePoint.Hlc hlc) {
      return hlc.packed();
    }
    long back = ((TimePoint.Now) point).minusMicros();
    return back == 0 ? now : before(now, back);
  }

  /** The last tick of a point. */
  private static long last(TimePoint point, long now) {
    if (point instanceof TimePoint.Iso iso) {
      return HlcTimestamp.pack(iso.micros(), HlcTimestamp.MAX_LOGICAL);
    }
    if (point instanceof TimePoint.Now past && past.minusMicros() > 0) {
      long micros = HlcTimestamp.micros(before(now, past.minusMicros()));
      return HlcTimestamp.pack(micros, HlcTimestamp.MAX_LOGICAL);
    }
    return first(point, now);
  }

  private static long before(long now, long micros) {
    return HlcTimestamp.pack(Math.max(0, HlcTimestamp.micros(now) - micros));
  }
}
