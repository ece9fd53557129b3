package io.retroscope.sink;

import java.util.random.RandomGenerator;

/**
 * How long to wait before trying again: doubled after each failure up to a limit, and of that a
 * random part, so that many senders do not come back at once.
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

  /** The wait after one more failure: from a half to the whole of the doubled time. */
  long nextMillis() {
    long doubled = firstMillis << Math.min(failures, MAX_DOUBLINGS);
    failures++;
    long whole = Math.min(maxMillis, doubled);
    return whole / 2 + random.nextLong(whole - whole / 2 + 1);
  }

  int failures() {
    return failures;
  }

  void reset() {
    failures = 0;
  }
}
