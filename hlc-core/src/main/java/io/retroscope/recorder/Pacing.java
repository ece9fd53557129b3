// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.sink.Pace;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The pauses of the drainer, and the times at which its next frame is due. Owned by the drainer's
 * thread.
 */
final class Pacing {
  /*
   * A pause is twice as long as the one before, until a round finds many events. While few arrive,
   * it grows to a millisecond, in which three million events per second fill a twentieth of the
   * ring: each time the drainer wakes up, it takes a core from the threads that record. While none
   * arrive, it grows to the time in which that rate fills nine tenths of the ring. All pauses end
   * when a frame is due.
   *
   * The sink determines the gathering time and the heartbeat interval of an idle node, and may
   * change both at any time. Each frame carries the interval within which the next one follows,
   * which is kept even if the pace slows down in the meantime.
   */
  private static final long MIN_NANOS = 50_000;
  private static final long MAX_BUSY_NANOS = 1_000_000;
  private static final long MAX_IDLE_NANOS = 20_000_000;

  /** The capacity from which a ring has room for the longest pauses; smaller ones have shorter. */
  private static final int FULL_CAPACITY = 1 << 16;

  private final Supplier<Pace> wanted;
  private final LongSupplier nanos;
  private final long maxBusyNanos;
  private final long maxIdleNanos;
  private long pauseNanos;
  private Pace current;

  /** The time at which the last frame was passed on, and the interval that it promises. */
  private long handedNanos;

  private long promisedNanos;

  Pacing(Supplier<Pace> wanted, int ringCapacity, LongSupplier nanos) {
    this.wanted = wanted;
    this.nanos = nanos;
    int room = Math.min(ringCapacity, FULL_CAPACITY);
    maxBusyNanos = MAX_BUSY_NANOS * room / FULL_CAPACITY;
    maxIdleNanos = Math.max(MAX_BUSY_NANOS, MAX_IDLE_NANOS * room / FULL_CAPACITY);
    current = wanted.get();
    promisedNanos = current.heartbeatNanos();
    handedNanos = nanos.getAsLong();
  }

  /** A supplier of a constant pace. */
  static Supplier<Pace> fixed(long intervalNanos) {
    Pace pace = new Pace(intervalNanos, intervalNanos, true);
    return () -> pace;
  }

  /** Queries the sink for its current pace. */
  void refresh() {
    current = wanted.get();
  }

  /** Whether the next frame is due: a block if events are gathered, otherwise a heartbeat. */
  boolean isDue(boolean gathering) {
    return untilDueNanos(gathering) <= 0;
  }

  private long untilDueNanos(boolean gathering) {
    long wait = gathering ? current.gatherNanos() : current.heartbeatNanos();
    return Math.min(promisedNanos, wait) - (nanos.getAsLong() - handedNanos);
  }

  /** The interval for the frame that is passed on now. */
  long promiseMicros() {
    return Math.max(1, current.heartbeatNanos() / 1_000);
  }

  /** Records that a frame was passed on. */
  void handed() {
    promisedNanos = current.heartbeatNanos();
    handedNanos = nanos.getAsLong();
  }

  /** Pauses after a round that found no events. */
  void pauseIdle(boolean gathering) {
    pause(maxIdleNanos, gathering);
  }

  /** Pauses after a round that found few events, while a batch accumulates. */
  void pauseBusy(boolean gathering) {
    pause(maxBusyNanos, gathering);
  }

  private void pause(long longestNanos, boolean gathering) {
    // Interrupts have no meaning here, and would make every pause return immediately.
    boolean ignored = Thread.interrupted();
    pauseNanos = Math.max(MIN_NANOS, Math.min(2 * pauseNanos, longestNanos));
    LockSupport.parkNanos(
        this, Math.max(MIN_NANOS, Math.min(pauseNanos, untilDueNanos(gathering))));
  }

  /** Records that a round found many events, after which the next pause is short. */
  void batched() {
    pauseNanos = 0;
  }
}
