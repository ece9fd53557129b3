// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.live.MonotonicClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs skipped records: each of the first ones, then periodically. Used by the reading
 * thread; the counts may be read by any.
 */
final class SkippedRecords {
  static final int LOGGED_EACH = 10;
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final Logger logger = LoggerFactory.getLogger(SkippedRecords.class);

  private final MonotonicClock clock;
  private final LongAdder foreign = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private long lastLoggedNanos;

  SkippedRecords(MonotonicClock clock) {
    this.clock = clock;
  }

  /** Notes a record that contains no blocks. */
  void foreign(int partition, long offset, String reason) {
    foreign.increment();
    log(partition, offset, "contains no block of events", reason);
  }

  /** Notes a record whose blocks are damaged, or contradict stored data. */
  void refused(int partition, long offset, String reason) {
    refused.increment();
    log(partition, offset, "is refused", reason);
  }

  private void log(int partition, long offset, String what, String reason) {
    long now = clock.nanos();
    long count = foreign.sum() + refused.sum();
    if (count <= LOGGED_EACH || now - lastLoggedNanos >= PAUSE_NANOS) {
      lastLoggedNanos = now;
      logger.warn(
          "record {} of partition {} {} and is skipped ({}); {} so far",
          offset,
          partition,
          what,
          reason,
          count);
    }
  }

  long foreignCount() {
    return foreign.sum();
  }

  long refusedCount() {
    return refused.sum();
  }
}
