package io.retroscope.server.align;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;

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

  /** The smallest decrease of the readings from one stamp to the next that counts as a step. */
  static final long LEAST_STEP_MICROS = 1_000;

  private static final long COARSE_GRANULE_MICROS = 1_000;
  private static final int MAX_SLICES = 4_096;

  private final String name;
  private final int index;
  private final double rho;
  private final EvidenceTrail ahead;
  private double best = Double.POSITIVE_INFINITY;
  private double bestTime;
  private double trustedSince = Double.NEGATIVE_INFINITY;
  private long lastHlc = Long.MIN_VALUE;
  private long lastPhysicalMicros = Event.NO_PHYSICAL;
  private double lastSeen = Double.NEGATIVE_INFINITY;
  private boolean coarse = true;
  private long evidenceCount;
  private double evidenceTime = Double.NEGATIVE_INFINITY;

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
   * @return by how much the clock stepped back just before it, 0 if it did not
   */
  long read(long hlc, long physicalMicros, double time) {
    if (coarse && physicalMicros % COARSE_GRANULE_MICROS != 0) {
      coarse = false;
    }
    if (hlc <= lastHlc) {
      return 0;
    }
    long fallen = lastHlc == Long.MIN_VALUE ? 0 : lastPhysicalMicros - physicalMicros;
    lastHlc = hlc;
    lastPhysicalMicros = physicalMicros;
    lastSeen = time;
    return fallen >= LEAST_STEP_MICROS ? fallen : 0;
  }

  /** Notes that the highest clock was at least this far ahead at an instant. */
  void noteLag(double micros, double time) {
    ahead.add(-micros, time, 0, MAX_SLICES);
    if (time > trustedSince && -micros - rho * time < best - rho * bestTime) {
      best = -micros;
      bestTime = time;
    }
  }

  /** Counts an event that bounds this clock's offset. */
  void countEvidence(double time) {
    evidenceCount++;
    evidenceTime = Math.max(evidenceTime, time);
  }

  /**
   * Prevents evidence of the highest clock's lead from counting across an interval in which some
   * clock stepped.
   */
  void forgetAcross(double fromMicros, double toMicros) {
    ahead.addGap(fromMicros, toMicros, MAX_SLICES);
    trustedSince = Math.max(trustedSince, toMicros);
    forgetBest(Double.NEGATIVE_INFINITY, toMicros);
  }

  /** Removes evidence from an interval in which stamps are no evidence. */
  void forgetWithin(double fromMicros, double toMicros) {
    ahead.forget(fromMicros, toMicros);
    forgetBest(fromMicros, toMicros);
  }

  private void forgetBest(double fromMicros, double toMicros) {
    if (bestTime > fromMicros && bestTime <= toMicros) {
      best = Double.POSITIVE_INFINITY;
    }
  }

  /**
   * The minimum lead of the highest clock; negative infinity if unknown.
   *
   * @param lagMicros the largest amount by which the actual moment may be later than {@code
   *     instant}
   */
  double aheadAt(double instant, double lagMicros) {
    double past = ahead.boundAt(instant, lagMicros);
    double newest = best + rho * (instant + lagMicros - bestTime);
    return -(instant >= bestTime ? Math.min(past, newest) : past);
  }

  /** The last instant at which a reading arrived with a newer stamp. */
  double lastSeen() {
    return lastSeen;
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

  double evidenceTime() {
    return evidenceTime;
  }
}
