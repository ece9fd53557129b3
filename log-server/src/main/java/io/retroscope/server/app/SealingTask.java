// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.EventStore;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sealing of stored blocks in the background, which takes at most a part of one processor.
 * Thread-safe.
 *
 * <p>Only blocks that end well before the watermark are sealed, so that few events arrive for a
 * range that is sealed already. Such events are stored nevertheless. If a node keeps the watermark
 * from moving, blocks are sealed once they are old.
 */
final class SealingTask {
  /** The lag of sealing after the watermark. */
  private static final long MARGIN_MICROS = TimeUnit.SECONDS.toMicros(10);

  /** The age at which blocks are sealed whatever the watermark is. */
  private static final long OLD_MICROS = TimeUnit.MINUTES.toMicros(5);

  /** The pause after a batch, as a multiple of the time that the batch took. */
  private static final long REST_FACTOR = 2;

  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The pause after a failure, which may last, such as a full disk. */
  private static final long FAILED_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger logger = LoggerFactory.getLogger(SealingTask.class);

  private final EventStore store;
  private final WatermarkTracker watermarks;
  private final PhysicalClock clock;
  private final MonotonicClock monotonicClock;
  private final ScheduledExecutorService thread;

  /**
   * A task that has not begun.
   *
   * @param thread is shut down by the caller before the store is closed
   */
  SealingTask(
      EventStore store,
      WatermarkTracker watermarks,
      PhysicalClock clock,
      MonotonicClock monotonicClock,
      ScheduledExecutorService thread) {
    this.store = store;
    this.watermarks = watermarks;
    this.clock = clock;
    this.monotonicClock = monotonicClock;
    this.thread = thread;
  }

  void begin() {
    schedule(IDLE_NANOS);
  }

  private void schedule(long delayNanos) {
    try {
      ScheduledFuture<?> unused = thread.schedule(this::seal, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The server is shutting down.
    }
  }

  private void seal() {
    long began = monotonicClock.nanos();
    long pause = FAILED_NANOS;
    try {
      int sealed = store.seal(horizon());
      pause = sealed == 0 ? IDLE_NANOS : REST_FACTOR * (monotonicClock.nanos() - began);
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      if (!thread.isShutdown()) {
        logger.error("blocks could not be sealed", e);
      }
    }
    schedule(pause);
  }

  private long horizon() {
    long behind = HlcTimestamp.micros(watermarks.current().hlc()) - MARGIN_MICROS;
    long old = clock.micros() - OLD_MICROS;
    return HlcTimestamp.pack(Math.max(0, Math.max(behind, old)));
  }
}
