// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.live.WatermarkTracker;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The periodic advance of a watermark. Thread-safe. */
final class WatermarkTicker {
  /**
   * The interval at which the watermark advances, which is the largest delay that it adds to live
   * queries.
   */
  static final long PERIOD_MILLIS = 2;

  /** The interval while no live query waits. */
  static final long IDLE_PERIOD_MILLIS = 100;

  private static final Logger logger = LoggerFactory.getLogger(WatermarkTicker.class);

  private final WatermarkTracker watermarks;
  private final ScheduledExecutorService thread;

  WatermarkTicker(WatermarkTracker watermarks, ScheduledExecutorService thread) {
    this.watermarks = watermarks;
    this.thread = thread;
  }

  /**
   * Schedules the next tick. An idle server wakes up rarely, because a wake-up costs more than the
   * work to do.
   */
  void begin() {
    try {
      long millis = watermarks.isAwaited() ? PERIOD_MILLIS : IDLE_PERIOD_MILLIS;
      ScheduledFuture<?> unused = thread.schedule(this::tick, millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server is shutting down.
    }
  }

  private void tick() {
    try {
      begin();
      watermarks.advance();
    } catch (RuntimeException | Error e) {
      // Logs the error here, because nothing waits for the result of this task.
      FatalErrors.check(e);
      logger.error("the watermark could not be moved", e);
    }
  }
}
