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
 * @param origin what the time is known from
 */
public record CutTime(long micros, OptionalLong uncertaintyMicros, Origin origin) {
  /**
   * The nodes and the interval of a time.
   *
   * @param node that alone made the cut; empty if several nodes made it, or none
   * @param lowMicros the start of the interval; {@link Long#MIN_VALUE} if it is open
   * @param highMicros the end of the interval; {@link Long#MAX_VALUE} if it is open
   */
  public record Origin(String node, long lowMicros, long highMicros) {
    /** The origin of a time of which nothing is known. */
    public static final Origin UNKNOWN = new Origin("", Long.MIN_VALUE, Long.MAX_VALUE);

    private boolean isBounded() {
      return lowMicros != Long.MIN_VALUE && highMicros != Long.MAX_VALUE;
    }
  }

  /** Creates a time of an unknown origin. */
  public CutTime(long micros, OptionalLong uncertaintyMicros) {
    this(micros, uncertaintyMicros, Origin.UNKNOWN);
  }

  /**
   * Returns the largest possible difference between the duration that the stamps of two cuts show
   * and the one on the reference node's clock, in microseconds. The clocks' offsets cause it, so it
   * is 0 if one node made both cuts.
   *
   * @param beginHlc packed, the stamp of the first cut
   * @param endHlc packed, the stamp of the last cut
   * @return empty if the interval of a time is open at an end
   */
  public static OptionalLong durationUncertainty(
      long beginHlc, CutTime begin, long endHlc, CutTime end) {
    boolean isOfOneNode = !begin.origin.node.isEmpty() && begin.origin.node.equals(end.origin.node);
    if (isOfOneNode || beginHlc == endHlc) {
      return OptionalLong.of(0);
    }
    if (!begin.origin.isBounded() || !end.origin.isBounded()) {
      return OptionalLong.empty();
    }
    long shown = HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(beginHlc);
    long least = end.origin.lowMicros - begin.origin.highMicros;
    long most = end.origin.highMicros - begin.origin.lowMicros;
    return OptionalLong.of(Math.max(Math.abs(most - shown), Math.abs(shown - least)));
  }

  /** Returns the time of one event, as a cut that it alone made. */
  public static CutTime of(Event event, ClockOffsets clocks) {
    Intersection intersection = new Intersection();
    if (event.hasPhysical()) {
      clocks
          .offset(event.node(), event.hlc())
          .ifPresent((Offset offset) -> intersection.add(event.physicalMicros(), offset));
    }
    return intersection.result(event.hlc(), event.node());
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

    /**
     * The time.
     *
     * @param node as in {@link Origin}
     */
    CutTime result(long hlc, String node) {
      Origin unknown = new Origin(node, Long.MIN_VALUE, Long.MAX_VALUE);
      if (count == 0) {
        return new CutTime(HlcTimestamp.micros(hlc), OptionalLong.empty(), unknown);
      }
      long estimate = Math.floorDiv(estimateSum, count);
      // Events of one stamp are concurrent, not simultaneous, so their bounds need not intersect.
      if (low > high) {
        return new CutTime(estimate, OptionalLong.empty(), unknown);
      }
      long inside = Math.max(low, Math.min(high, estimate));
      boolean bounded = low != Long.MIN_VALUE && high != Long.MAX_VALUE;
      return new CutTime(
          inside,
          bounded ? OptionalLong.of((high - low) / 2) : OptionalLong.empty(),
          new Origin(node, low, high));
    }
  }
}
