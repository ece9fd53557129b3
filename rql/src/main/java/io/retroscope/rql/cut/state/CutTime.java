// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import java.util.Optional;
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
   * The node, the reading and the interval of a time.
   *
   * @param node that alone made the cut; empty if several nodes made it, or none
   * @param readingMicros the raw reading of that node's clock, of several nodes the lowest one;
   *     {@link Event#NO_PHYSICAL} if there is none
   * @param lowMicros the start of the interval that contains the times of all events; {@link
   *     Long#MIN_VALUE} if it is open
   * @param highMicros its end; {@link Long#MAX_VALUE} if it is open
   * @param clocks by which the interval was found
   */
  public record Origin(
      String node, long readingMicros, long lowMicros, long highMicros, ClockOffsets clocks) {
    /** The origin of a time of which nothing is known. */
    public static final Origin UNKNOWN =
        new Origin("", Event.NO_PHYSICAL, Long.MIN_VALUE, Long.MAX_VALUE, ClockOffsets.UNKNOWN);

    private boolean isBounded() {
      return lowMicros != Long.MIN_VALUE && highMicros != Long.MAX_VALUE;
    }

    private boolean hasReading() {
      return readingMicros != Event.NO_PHYSICAL;
    }
  }

  /** Creates a time of an unknown origin. */
  public CutTime(long micros, OptionalLong uncertaintyMicros) {
    this(micros, uncertaintyMicros, Origin.UNKNOWN);
  }

  /**
   * Returns the largest possible difference between the duration that the stamps of two cuts show
   * and the true one, in microseconds. If one node made both cuts, its own readings measure the
   * duration; otherwise the intervals on the reference node's clock bound it. Events of several
   * nodes at one stamp are concurrent, not simultaneous, so that the cut may be that of any of
   * them.
   *
   * @param beginHlc packed, the stamp of the first cut
   * @param endHlc packed, the stamp of the last cut
   * @return empty if the interval of a time is open at an end, or if a clock that measures the
   *     duration stepped between the cuts
   */
  public static OptionalLong durationUncertainty(
      long beginHlc, CutTime begin, long endHlc, CutTime end) {
    if (beginHlc == endHlc) {
      return OptionalLong.of(0);
    }
    long shown = HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(beginHlc);
    boolean isOfOneNode = !begin.origin.node.isEmpty() && begin.origin.node.equals(end.origin.node);
    if (isOfOneNode && !(begin.origin.hasReading() && end.origin.hasReading())) {
      return OptionalLong.of(0);
    }
    if (isOfOneNode && !hasStepped(begin.origin.node, beginHlc, begin, endHlc, end)) {
      return OptionalLong.of(
          Math.abs(end.origin.readingMicros - begin.origin.readingMicros - shown));
    }
    if (!begin.origin.isBounded()
        || !end.origin.isBounded()
        || hasReferenceStepped(beginHlc, endHlc, end.origin.clocks)) {
      return OptionalLong.empty();
    }
    long least = end.origin.lowMicros - begin.origin.highMicros;
    long most = end.origin.highMicros - begin.origin.lowMicros;
    return OptionalLong.of(Math.max(Math.abs(most - shown), Math.abs(shown - least)));
  }

  /** Whether a node's clock may have stepped between two of its events. */
  private static boolean hasStepped(
      String node, long beginHlc, CutTime begin, long endHlc, CutTime end) {
    return end.origin.readingMicros < begin.origin.readingMicros
        || end.origin.clocks.mayHaveStepped(node, beginHlc, endHlc);
  }

  /**
   * Whether a clock on which the duration between two cuts depends may have stepped between them.
   */
  public static boolean mayHaveStepped(long beginHlc, CutTime begin, long endHlc, CutTime end) {
    ClockOffsets clocks = end.origin.clocks;
    return clocks.mayHaveStepped(begin.origin.node, beginHlc, endHlc)
        || clocks.mayHaveStepped(end.origin.node, beginHlc, endHlc)
        || hasReferenceStepped(beginHlc, endHlc, clocks);
  }

  private static boolean hasReferenceStepped(long beginHlc, long endHlc, ClockOffsets clocks) {
    Optional<String> reference = clocks.referenceNode();
    return reference.isPresent() && clocks.mayHaveStepped(reference.get(), beginHlc, endHlc);
  }

  /**
   * Whether one node made both cuts and its readings show that they are at least a time apart, in
   * microseconds.
   */
  public static boolean areApart(
      long micros, long beginHlc, CutTime begin, long endHlc, CutTime end) {
    return !begin.origin.node.isEmpty()
        && begin.origin.node.equals(end.origin.node)
        && begin.origin.hasReading()
        && end.origin.hasReading()
        && !hasStepped(begin.origin.node, beginHlc, begin, endHlc, end)
        && end.origin.readingMicros - begin.origin.readingMicros >= micros;
  }

  /**
   * The largest lead of a cut's stamp over a reading that the cut was made with, in microseconds; 0
   * if it has no reading.
   */
  public long leadMicros(long hlc) {
    return origin.hasReading() ? HlcTimestamp.micros(hlc) - origin.readingMicros : 0;
  }

  /** Returns the time of one event, as a cut that it alone made. */
  public static CutTime of(Event event, ClockOffsets clocks) {
    return of(event.hlc(), event.node(), event.physicalMicros(), clocks);
  }

  /**
   * Returns the time of a cut that one event made.
   *
   * @param readingMicros as in {@link Origin}
   */
  static CutTime of(long hlc, String node, long readingMicros, ClockOffsets clocks) {
    Optional<Offset> offset =
        readingMicros == Event.NO_PHYSICAL ? Optional.empty() : clocks.offset(node, hlc);
    if (offset.isEmpty()) {
      return new CutTime(
          HlcTimestamp.micros(hlc),
          OptionalLong.empty(),
          new Origin(node, readingMicros, Long.MIN_VALUE, Long.MAX_VALUE, clocks));
    }
    Intersection intersection = new Intersection();
    intersection.add(readingMicros, offset.get());
    return intersection.result(hlc, node, readingMicros, clocks);
  }

  /** The intersection of the bounds of several events. */
  static final class Intersection {
    private int count;
    private long estimateSum;
    private long low = Long.MIN_VALUE;
    private long high = Long.MAX_VALUE;

    /** The interval that contains all of theirs. */
    private long earliest = Long.MAX_VALUE;

    private long latest = Long.MIN_VALUE;

    void add(long physicalMicros, Offset offset) {
      count++;
      estimateSum += physicalMicros + offset.estimateMicros();
      long least =
          offset.lowMicros().isPresent()
              ? physicalMicros + offset.lowMicros().getAsLong()
              : Long.MIN_VALUE;
      long most =
          offset.highMicros().isPresent()
              ? physicalMicros + offset.highMicros().getAsLong()
              : Long.MAX_VALUE;
      low = Math.max(low, least);
      high = Math.min(high, most);
      earliest = Math.min(earliest, least);
      latest = Math.max(latest, most);
    }

    /** Adds an event whose time is not known. */
    void addUnknown() {
      earliest = Long.MIN_VALUE;
      latest = Long.MAX_VALUE;
    }

    /**
     * The time.
     *
     * @param node as in {@link Origin}
     * @param readingMicros as in {@link Origin}
     */
    CutTime result(long hlc, String node, long readingMicros, ClockOffsets clocks) {
      // Events of one stamp are concurrent, not simultaneous, so their bounds need not intersect.
      boolean isKnown = count > 0 && low <= high;
      long least = isKnown ? low : Long.MIN_VALUE;
      long most = isKnown ? high : Long.MAX_VALUE;
      long estimate = count == 0 ? HlcTimestamp.micros(hlc) : Math.floorDiv(estimateSum, count);
      boolean isBounded = least != Long.MIN_VALUE && most != Long.MAX_VALUE;
      return new CutTime(
          Math.max(least, Math.min(most, estimate)),
          isBounded ? OptionalLong.of((most - least) / 2) : OptionalLong.empty(),
          earliest > latest
              ? new Origin(node, readingMicros, Long.MIN_VALUE, Long.MAX_VALUE, clocks)
              : new Origin(node, readingMicros, earliest, latest, clocks));
    }
  }
}
