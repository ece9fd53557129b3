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
   * While no events arrive, the pauses grow, up to the time in which three million events per
   * second fill nine tenths of the ring. They end when a frame is due.
   *
   * The sink determines the gathering time and the heartbeat interval of an idle node, and may
   * change both at any time. Each frame carries the interval within which the next one follows,
   * which is kept even if the pace slows down in the meantime.
   */
  static final long BUSY_NANOS = 50_000;
  private static final long MIN_IDLE_NANOS = 1_000_000;
  private static final long MAX_IDLE_NANOS = 20_000_000;
  private static final int MAX_IDLE_CAPACITY = 1 << 16;

  private final Supplier<Pace> wanted;
  private final LongSupplier nanos;
  private final long maxIdleNanos;
  private long idleNanos = MIN_IDLE_NANOS;
  private Pace current;

  /** The time at which the last frame was passed on, and the interval that it promises. */
  private long handedNanos;

  private long promisedNanos;

  Pacing(Supplier<Pace> wanted, int ringCapacity, LongSupplier nanos) {
    this.wanted = wanted;
    this.nanos = nanos;
    long scaled = MAX_IDLE_NANOS * Math.min(ringCapacity, MAX_IDLE_CAPACITY) / MAX_IDLE_CAPACITY;
    maxIdleNanos = Math.max(MIN_IDLE_NANOS, scaled);
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

  /** Pauses while no events arrive; consecutive pauses grow. */
  void pauseIdle(boolean gathering) {
    // Interrupts have no meaning here, and would make every pause return immediately.
    boolean ignored = Thread.interrupted();
    LockSupport.parkNanos(
        this, Math.max(BUSY_NANOS, Math.min(idleNanos, untilDueNanos(gathering))));
    idleNanos = Math.min(2 * idleNanos, maxIdleNanos);
  }

  /** Pauses while a batch accumulates. */
  void pauseBusy() {
    LockSupport.parkNanos(this, BUSY_NANOS);
  }

  /** Records that events have arrived. */
  void busy() {
    idleNanos = MIN_IDLE_NANOS;
  }
}
