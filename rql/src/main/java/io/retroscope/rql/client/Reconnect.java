package io.retroscope.rql.client;

import java.time.Duration;

/**
 * How a stream that broke off is taken up again.
 *
 * @param firstWait before the first attempt; doubles with each that fails
 * @param longestWait what it doubles up to
 * @param attemptCount attempts in a row that may fail
 * @param longestSilence a connection on which not even a sign of life came for so long is broken
 */
public record Reconnect(
    Duration firstWait, Duration longestWait, int attemptCount, Duration longestSilence) {
  /** About a minute and a half in all; servers give a sign of life every other second. */
  public static final Reconnect DEFAULT =
      new Reconnect(Duration.ofMillis(250), Duration.ofSeconds(10), 12, Duration.ofSeconds(15));

  /** How long to wait before an attempt, the first being 0. */
  public Duration waitBefore(int attempt) {
    Duration wait = firstWait.multipliedBy(1L << Math.min(attempt, 20));
    return wait.compareTo(longestWait) < 0 ? wait : longestWait;
  }
}
