package io.retroscope.server.app;

import io.retroscope.server.health.Health;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.StoreException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Proof that the store takes events: something is written and synced every few seconds, and when
 * that last succeeded is known. Thread-safe.
 */
final class WriteProof implements Health.Check {
  /** How often something is written. */
  static final long PERIOD_MILLIS = 2_000;

  /** How old the last success may be. */
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

  /** Begins to write, unless the write before is still underway. Called every so often. */
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
      // The store reports its trouble itself, and this success gets old.
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
