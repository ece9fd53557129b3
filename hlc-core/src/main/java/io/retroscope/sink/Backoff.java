// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.util.random.RandomGenerator;

/**
 * An exponential backoff with jitter: the wait doubles after each failure up to a limit, and a
 * random part of it is used, so that many senders do not return at the same time.
 */
final class Backoff {
  private static final int MAX_DOUBLINGS = 30;

  private final long firstMillis;
  private final long maxMillis;
  private final RandomGenerator random;
  private int failures;

  Backoff(long firstMillis, long maxMillis, RandomGenerator random) {
    this.firstMillis = firstMillis;
    this.maxMillis = maxMillis;
    this.random = random;
  }

  /** The wait after one more failure: between half and all of the doubled time. */
  long nextMillis() {
    long doubled = firstMillis << Math.min(failures, MAX_DOUBLINGS);
    failures++;
    long whole = Math.min(maxMillis, doubled);
    return whole / 2 + random.nextLong(whole - whole / 2 + 1);
  }

  void reset() {
    failures = 0;
  }
}
