package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.OptionalLong;

/**
 * The time of a cut on the reference node's clock.
 *
 * @param micros since the Unix epoch
 * @param uncertaintyMicros half the width of the interval that contains the time; empty if the
 *     interval is open at an end
 */
public record CutTime(long micros, OptionalLong uncertaintyMicros) {
  /** Returns the time of one event, as a cut that it alone made. */
  public static CutTime of(Event event, ClockOffsets clocks) {
    Intersection intersection = new Intersection();
    if (event.hasPhysical()) {
      clocks
          .offset(event.node(), event.hlc())
          .ifPresent((Offset offset) -> intersection.add(event.physicalMicros(), offset));
    }
    return intersection.result(event.hlc());
  }

  /** The intersection of the bounds of several events. */
  static final class Intersection {
    private int count;
    private long estimateSum;
    private long low = Long.MIN_VALUE;
    private long high = Long.MAX_VALUE;

    void add(long physicalMicros, Offset offset) {
      count++;
      estimateSum += physicalMicros + offset.estimateMicros();
      if (offset.lowMicros().isPresent()) {
        low = Math.max(low, physicalMicros + offset.lowMicros().getAsLong());
      }
      if (offset.highMicros().isPresent()) {
        high = Math.min(high, physicalMicros + offset.highMicros().getAsLong());
      }
    }

    CutTime result(long hlc) {
      if (count == 0) {
        return new CutTime(HlcTimestamp.micros(hlc), OptionalLong.empty());
      }
      long estimate = Math.floorDiv(estimateSum, count);
      // Events of one stamp are concurrent, not simultaneous, so their bounds need not intersect.
      if (low > high) {
        return new CutTime(estimate, OptionalLong.empty());
      }
      long inside = Math.max(low, Math.min(high, estimate));
      boolean bounded = low != Long.MIN_VALUE && high != Long.MAX_VALUE;
      return new CutTime(
          inside, bounded ? OptionalLong.of((high - low) / 2) : OptionalLong.empty());
    }
  }
}
