// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import io.retroscope.server.align.StepGaps.Gap;

/**
 * The longest times between two consecutive readings of a node, as far as they are recent: a step
 * of its clock forward is at one of them that is as long as the step. Not thread-safe.
 */
final class ReadingJumps {
  /** Readings that are closer to each other are not distinguished. */
  private static final double LEAST_MICROS = 1_000;

  /** A step may look larger than the readings, because clocks drift. */
  private static final double SHARE = 0.9;

  private static final int MAX_JUMPS = 256;

  private final double[] fromMicros = new double[MAX_JUMPS];
  private final double[] toMicros = new double[MAX_JUMPS];
  private final double[] sizeMicros = new double[MAX_JUMPS];
  private int count;

  /** Up to here, jumps are not known. */
  private double unknownMicros = Double.POSITIVE_INFINITY;

  /**
   * Adds two consecutive events, later than those before.
   *
   * @param passedMicros by the readings
   * @param beforeMicros the instant of the first one
   * @param timeMicros the instant of the second one
   */
  void add(long passedMicros, double beforeMicros, double timeMicros) {
    unknownMicros = Math.min(unknownMicros, beforeMicros);
    if (passedMicros >= LEAST_MICROS) {
      int slot = count++ % MAX_JUMPS;
      unknownMicros = count > MAX_JUMPS ? toMicros[slot] : unknownMicros;
      fromMicros[slot] = beforeMicros;
      toMicros[slot] = timeMicros;
      sizeMicros[slot] = passedMicros;
    }
  }

  /**
   * The part of an interval in which a step forward may be.
   *
   * @param stepMicros its least size
   */
  Gap narrowed(Gap gap, double stepMicros) {
    double from = Double.POSITIVE_INFINITY;
    double to = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < Math.min(count, MAX_JUMPS); i++) {
      double startMicros = Math.max(fromMicros[i], gap.fromMicros());
      double endMicros = Math.min(Math.nextDown(toMicros[i]), gap.toMicros());
      if (sizeMicros[i] >= SHARE * stepMicros && startMicros < endMicros) {
        from = Math.min(from, startMicros);
        to = Math.max(to, endMicros);
      }
    }
    if (from >= to) {
      return gap;
    }
    return new Gap(unknownMicros <= gap.fromMicros() ? from : gap.fromMicros(), to);
  }
}
