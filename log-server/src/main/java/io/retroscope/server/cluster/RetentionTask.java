// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.Directive;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to each partition that is owned here which of its events are too old. Used by one thread.
 */
/*
 * The owner and the copies of a partition remove the same events, because they find the directive
 * at the same offset. All partitions use the same stamps, multiples of a step, so that history
 * begins at one stamp in all of them. HAZARD: a server whose clock is wrong must not remove young
 * events: the stores compare the age with the broker's time of the directive.
 */
final class RetentionTask implements Runnable {
  private static final Logger logger = LoggerFactory.getLogger(RetentionTask.class);

  /** The number of steps in the age of the oldest events; each may split many blocks. */
  private static final int STEPS = 100;

  private static final long MIN_STEP_MICROS = TimeUnit.SECONDS.toMicros(1);

  private final long ageMicros;
  private final PhysicalClock clock;
  private final Consumer<Directive.Trim> directing;
  private long doneMicros = Long.MIN_VALUE;

  /**
   * A task that has not run.
   *
   * @param age the age from which events are removed; positive
   * @param directing writes to each partition that is owned here what is overdue, or throws
   */
  RetentionTask(Duration age, PhysicalClock clock, Consumer<Directive.Trim> directing) {
    this.ageMicros = TimeUnit.NANOSECONDS.toMicros(age.toNanos());
    this.clock = clock;
    this.directing = directing;
  }

  /** Writes what has become too old since the last run that did not fail. Never throws. */
  @Override
  public void run() {
    long step = Math.max(MIN_STEP_MICROS, ageMicros / STEPS);
    long micros = Math.floorDiv(clock.micros() - ageMicros, step) * step;
    if (micros <= 0 || micros == doneMicros) {
      return;
    }
    try {
      directing.accept(new Directive.Trim(HlcTimestamp.pack(micros), ageMicros));
      doneMicros = micros;
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.warn("old events are not removed yet: {}", e.toString());
    }
  }
}
