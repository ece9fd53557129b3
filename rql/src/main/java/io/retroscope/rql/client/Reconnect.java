// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import java.time.Duration;

/**
 * The policy for resuming a stream after a connection failure.
 *
 * @param firstWait before the first attempt; doubles with each failure
 * @param longestWait the upper limit of the wait
 * @param attemptCount consecutive attempts that may fail
 * @param longestSilence the time without any data, including keep-alives, after which a connection
 *     counts as failed
 */
public record Reconnect(
    Duration firstWait, Duration longestWait, int attemptCount, Duration longestSilence) {
  /**
   * The default, which takes about a minute and a half; servers send keep-alives every two seconds.
   */
  public static final Reconnect DEFAULT =
      new Reconnect(Duration.ofMillis(250), Duration.ofSeconds(10), 12, Duration.ofSeconds(15));

  /** For a listener that waits for the server to return and must notice its loss within seconds. */
  public static final Reconnect PATIENT =
      new Reconnect(
          Duration.ofMillis(250), Duration.ofSeconds(2), Integer.MAX_VALUE, Duration.ofSeconds(5));

  /** Returns the wait before an attempt, the first of which is 0. */
  public Duration waitBefore(int attempt) {
    Duration wait = firstWait.multipliedBy(1L << Math.min(attempt, 20));
    return wait.compareTo(longestWait) < 0 ? wait : longestWait;
  }
}
