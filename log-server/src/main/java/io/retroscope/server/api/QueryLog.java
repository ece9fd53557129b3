// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Latency;
import io.retroscope.server.metrics.Metrics;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durations of historical queries: all of them as a metric, slow ones in the log. Thread-safe.
 *
 * @param threshold the duration above which a query is slow
 */
record QueryLog(Duration threshold, Metrics metrics) {
  private static final Logger logger = LoggerFactory.getLogger(QueryLog.class);
  private static final int MAX_CHARS = 1_000;

  void ended(String statement, long nanos) {
    metrics.record(Latency.QUERY, nanos);
    if (nanos > threshold.toNanos()) {
      metrics.increment(Count.QUERIES_SLOW);
      logger.warn(
          "slow query: {} ms: {}",
          TimeUnit.NANOSECONDS.toMillis(nanos),
          statement.length() <= MAX_CHARS ? statement : statement.substring(0, MAX_CHARS) + "...");
    }
  }
}
