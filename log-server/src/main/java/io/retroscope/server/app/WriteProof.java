// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.server.health.Health;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.disk.StoreException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A health check that the store accepts events: a record is written and synced every few seconds,
 * and the check fails if the last success is too old. Thread-safe.
 */
final class WriteProof implements Health.Check {
  /** The interval between writes. */
  static final long PERIOD_MILLIS = 2_000;

  /** The largest age of the last success. */
  static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final EventStore store;
  private final MonotonicClock clock;
  private final AtomicBoolean underway = new AtomicBoolean();
  private volatile long succeededNanos;

  WriteProof(EventStore store, MonotonicClock clock) {
    this.store = store;
    this.clock = clock;
    this.succeededNanos = clock.nanos();
  }

  /** Begins a write, unless the previous one is still in progress. Called periodically. */
  void write() {
    if (underway.getAndSet(true)) {
      return;
    }
    try {
      var unused =
          store
              .probe()
              .whenComplete(
                  (receipt, failure) -> {
                    if (failure == null) {
                      succeededNanos = clock.nanos();
                    }
                    underway.set(false);
                  });
    } catch (StoreBusyException | StoreException e) {
      // The store reports its own failure, and the last success grows old.
      underway.set(false);
    }
  }

  @Override
  public Optional<String> trouble() {
    long age = clock.nanos() - succeededNanos;
    return age <= MAX_AGE_NANOS
        ? Optional.empty()
        : Optional.of(
            "nothing could be written to the store for %d s"
                .formatted(TimeUnit.NANOSECONDS.toSeconds(age)));
  }
}
