// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.live.MonotonicClock;
import java.time.Duration;
import java.util.concurrent.Semaphore;

/**
 * Turns by which long queries share the processors, so that any number of them leaves processor
 * time to ingest, health and short queries. At most as many long queries compute at the same time
 * as there are seats; those without one wait in order of arrival. Thread-safe.
 */
final class ComputingTurns {
  /** A query computes for this long before it needs a seat, and again before it gives way. */
  static final Duration TURN = Duration.ofMillis(10);

  private final Semaphore seats;
  private final MonotonicClock clock;

  ComputingTurns(int seats, MonotonicClock clock) {
    this.seats = new Semaphore(seats, true);
    this.clock = clock;
  }

  /** Starts a query; it must be closed when the query ends. */
  Turn begin() {
    return new Turn();
  }

  /** The part of one query. Used by one thread. */
  final class Turn implements AutoCloseable {
    private long beganNanos = clock.nanos();
    private boolean seated;

    private Turn() {}

    /** Gives way if the turn is over, and returns when the next one begins. */
    void next() {
      if (clock.nanos() - beganNanos >= TURN.toNanos()) {
        leave();
        seats.acquireUninterruptibly();
        seated = true;
        beganNanos = clock.nanos();
      }
    }

    /** Leaves the seat to others, for example before waiting for a slow client. */
    void leave() {
      if (seated) {
        seated = false;
        seats.release();
      }
    }

    @Override
    public void close() {
      leave();
    }
  }
}
