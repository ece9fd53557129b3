// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

/**
 * The periods of all rows of a report, so that the same one is the same time in each. A period is a
 * second at first; it doubles whenever there are too many of them, so that a day has periods of 32
 * seconds. Thread-safe.
 */
final class Periods {
  /** The first period. */
  static final long FIRST_MICROS = 1_000_000;

  /** With more, each two become one. */
  static final int MAX_COUNT = 2_880;

  /* Guarded by `this`. */
  private long startMicros = Long.MIN_VALUE;
  private long micros = FIRST_MICROS;

  /** A period: its number from 0, and how long all are, in microseconds. */
  record Period(int number, long micros) {}

  /** The period of a time. The first time begins the first one; one before it belongs to that. */
  synchronized Period of(long atMicros) {
    if (startMicros == Long.MIN_VALUE) {
      startMicros = atMicros;
    }
    while ((atMicros - startMicros) / micros >= MAX_COUNT) {
      micros *= 2;
    }
    return new Period((int) Math.max(0, (atMicros - startMicros) / micros), micros);
  }

  /** How long each period is. */
  synchronized long micros() {
    return micros;
  }
}
