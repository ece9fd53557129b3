// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import io.retroscope.server.live.Inflow;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A log of the lag of reading: periodic lines while it is large, and one when reading has caught
 * up.
 */
final class LagLog {
  /** The lag from which lines are logged. */
  static final long LARGE_NANOS = TimeUnit.SECONDS.toNanos(5);

  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger logger = LoggerFactory.getLogger(LagLog.class);

  private boolean behind;
  private long loggedNanos;
  private long loggedRecords;

  LagLog(long now) {
    this.loggedNanos = now;
  }

  /** Called periodically by one thread. */
  void note(long now, IngestState state) {
    long complete = state.progress.completeAsOfNanos();
    if (complete == Inflow.NEVER ? state.progress.lagCount() == 0 : now - complete < LARGE_NANOS) {
      if (behind) {
        logger.info("caught up with the topic");
      }
      behind = false;
      loggedNanos = now;
      loggedRecords = state.records.sum();
    } else if (now - loggedNanos >= (behind ? PAUSE_NANOS : LARGE_NANOS)) {
      long records = state.records.sum();
      logger.info(
          "{} records remain, reading {} per second",
          state.progress.lagCount(),
          (records - loggedRecords) * TimeUnit.SECONDS.toNanos(1) / (now - loggedNanos));
      behind = true;
      loggedNanos = now;
      loggedRecords = records;
    }
  }
}
