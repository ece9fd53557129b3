package io.retroscope.cli.shell;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.OnTime;
import io.retroscope.rql.ast.Statement.TimePoint;
import io.retroscope.rql.cut.HlcRange;
import java.util.Optional;

/** The part of the stored range that a query walks, which its progress needs. */
final class QueryRange {
  private QueryRange() {}

  /** Returns the part of the extent that ON TIME selects. */
  static HlcRange of(Statement.Query query, HlcRange extent) {
    Optional<OnTime> onTime = query.onTime();
    if (onTime.isEmpty()) {
      return extent;
    }
    if (onTime.get() instanceof OnTime.Last last) {
      return new HlcRange(earlier(extent.to(), last.micros()), extent.to());
    }
    if (onTime.get() instanceof OnTime.Between between) {
      return between(stamp(between.from(), extent), stamp(between.to(), extent));
    }
    long at = stamp(((OnTime.At) onTime.get()).point(), extent);
    return new HlcRange(at, at);
  }

  private static HlcRange between(long from, long to) {
    return new HlcRange(Math.min(from, to), to);
  }

  private static long stamp(TimePoint point, HlcRange extent) {
    if (point instanceof TimePoint.Hlc hlc) {
      return hlc.packed();
    }
    if (point instanceof TimePoint.Iso iso) {
      return HlcTimestamp.pack(Math.max(0, Math.min(iso.micros(), HlcTimestamp.MAX_MICROS)));
    }
    return earlier(extent.to(), ((TimePoint.Now) point).minusMicros());
  }

  private static long earlier(long hlc, long micros) {
    return HlcTimestamp.pack(Math.max(0, HlcTimestamp.micros(hlc) - micros));
  }
}
