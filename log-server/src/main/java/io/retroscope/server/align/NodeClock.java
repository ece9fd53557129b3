// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.server.align.StepGaps.Gap;
import java.util.List;

/**
 * The evidence about a node's clock from its own events: the lead of the stamps over its readings,
 * and whether the readings ever fell. Not thread-safe.
 */
final class NodeClock {
  /*
   * A stamp's physical part was read from some clock at or before the event, so the highest clock
   * is ahead of this one by at least that part minus the node's own reading. The evidence ages like
   * any other.
   */

  private static final long COARSE_GRANULE_MICROS = 1_000;
  private static final int MAX_SLICES = 4_096;

  private final String name;
  private final int index;

  /** The rate at which bounds loosen, as a ratio. */
  private final double rho;

  private final EvidenceTrail ahead;
  private final ReadingJumps jumps = new ReadingJumps();
  private final ReadingParts parts = new ReadingParts();
  private double bestMicros = Double.POSITIVE_INFINITY;
  private double bestTimeMicros;
  private double trustedSinceMicros = Double.NEGATIVE_INFINITY;
  private long lastHlc = Long.MIN_VALUE;
  private long lastPhysicalMicros = Event.NO_PHYSICAL;
  private double lastSeenMicros = Double.NEGATIVE_INFINITY;
  private boolean coarse = true;
  private long evidenceCount;
  private double evidenceTimeMicros = Double.NEGATIVE_INFINITY;

  NodeClock(String name, int index, double rho) {
    this.name = name;
    this.index = index;
    this.rho = rho;
    this.ahead = new EvidenceTrail(rho);
  }

  String name() {
    return name;
  }

  int index() {
    return index;
  }

  /**
   * Notes a reading.
   *
   * @return where it shows that the clock stepped back
   */
  List<ReadingParts.Fall> read(long hlc, long physicalMicros, double timeMicros) {
    if (coarse && physicalMicros % COARSE_GRANULE_MICROS != 0) {
      coarse = false;
    }
    List<ReadingParts.Fall> falls = parts.add(hlc, physicalMicros, timeMicros);
    if (hlc > lastHlc) {
      if (lastHlc != Long.MIN_VALUE) {
        jumps.add(physicalMicros - lastPhysicalMicros, lastSeenMicros, timeMicros);
      }
      lastHlc = hlc;
      lastPhysicalMicros = physicalMicros;
      lastSeenMicros = timeMicros;
    }
    return falls;
  }

  /** The knowledge of the order of its readings. */
  ReadingParts parts() {
    return parts;
  }

  /** The part of an interval of its instants in which a step forward of this size may be. */
  Gap narrowed(Gap gap, double sizeMicros) {
    return jumps.narrowed(gap, sizeMicros);
  }

  /** Notes that the highest clock was at least this far ahead at an instant. */
  void noteLag(double leadMicros, double timeMicros) {
    ahead.add(-leadMicros, timeMicros, 0, MAX_SLICES);
    if (timeMicros > trustedSinceMicros
        && -leadMicros - rho * timeMicros < bestMicros - rho * bestTimeMicros) {
      bestMicros = -leadMicros;
      bestTimeMicros = timeMicros;
    }
  }

  /** Counts an event that bounds this clock's offset. */
  void countEvidence(double timeMicros) {
    evidenceCount++;
    evidenceTimeMicros = Math.max(evidenceTimeMicros, timeMicros);
  }

  /**
   * Prevents evidence of the highest clock's lead from counting across an interval in which some
   * clock stepped.
   */
  void forgetAcross(double fromMicros, double toMicros) {
    ahead.addGap(fromMicros, toMicros, MAX_SLICES);
    trustedSinceMicros = Math.max(trustedSinceMicros, toMicros);
    forgetBest(Double.NEGATIVE_INFINITY, toMicros);
  }

  /** Removes evidence from an interval in which stamps are no evidence. */
  void forgetWithin(double fromMicros, double toMicros) {
    ahead.forget(fromMicros, toMicros);
    forgetBest(fromMicros, toMicros);
  }

  private void forgetBest(double fromMicros, double toMicros) {
    if (bestTimeMicros > fromMicros && bestTimeMicros <= toMicros) {
      bestMicros = Double.POSITIVE_INFINITY;
    }
  }

  /**
   * The minimum lead of the highest clock; negative infinity if unknown.
   *
   * @param lagMicros the largest amount by which the actual moment may be later than {@code
   *     instantMicros}
   */
  double aheadAt(double instantMicros, double lagMicros) {
    double pastMicros = ahead.boundAt(instantMicros, lagMicros);
    double newestMicros = bestMicros + rho * (instantMicros + lagMicros - bestTimeMicros);
    return -(instantMicros >= bestTimeMicros ? Math.min(pastMicros, newestMicros) : pastMicros);
  }

  /** The last instant at which a reading arrived with a newer stamp. */
  double lastSeenMicros() {
    return lastSeenMicros;
  }

  /** The granule of the readings: the configured one, or a millisecond if no reading was finer. */
  long granuleMicros(long setting) {
    return coarse ? Math.max(setting, COARSE_GRANULE_MICROS) : setting;
  }

  /** The physical part of the newest stamp; meaningless before the first. */
  long lastStampMicros() {
    return lastHlc == Long.MIN_VALUE ? 0 : HlcTimestamp.micros(lastHlc);
  }

  long evidenceCount() {
    return evidenceCount;
  }

  double evidenceTimeMicros() {
    return evidenceTimeMicros;
  }
}
