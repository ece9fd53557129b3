package io.retroscope.recorder;

import io.retroscope.sink.Pace;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The pauses of the drainer, and the times at which its next frame is due. The drainer's alone. */
final class Pacing {
  /*
   * While nothing comes the pauses grow, up to what three million events a second need to fill nine tenths of the ring.
   * They end when a frame is due.
   *
   * The sink says how long to gather and how often an idle node is to be heard from, and may change that at any time.
   * Each frame carries the interval within which the next one comes, and that holds also if the pace slows meanwhile.
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

  /** When the last frame was handed over, and the interval that it promises. */
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

  /** The same interval for ever. */
  static Supplier<Pace> fixed(long intervalNanos) {
    Pace pace = new Pace(intervalNanos, intervalNanos, true);
    return () -> pace;
  }

  /** Asks the sink for its pace now. */
  void refresh() {
    current = wanted.get();
  }

  /** Whether the next frame is due: a block if events are gathered, else a heartbeat. */
  boolean isDue(boolean gathering) {
    return untilDueNanos(gathering) <= 0;
  }

  private long untilDueNanos(boolean gathering) {
    long wait = gathering ? current.gatherNanos() : current.heartbeatNanos();
    return Math.min(promisedNanos, wait) - (nanos.getAsLong() - handedNanos);
  }

  /** The interval for the frame that is handed over now. */
  long promiseMicros() {
    return Math.max(1, current.heartbeatNanos() / 1_000);
  }

  /** Notes that a frame was handed over. */
  void handed() {
    promisedNanos = current.heartbeatNanos();
    handedNanos = nanos.getAsLong();
  }

  /** Pauses while nothing comes, the longer the more often. */
  void pauseIdle(boolean gathering) {
    // An interrupt means nothing here, and would make every pause return at once.
    boolean ignored = Thread.interrupted();
    LockSupport.parkNanos(
        this, Math.max(BUSY_NANOS, Math.min(idleNanos, untilDueNanos(gathering))));
    idleNanos = Math.min(2 * idleNanos, maxIdleNanos);
  }

  /** Pauses for a batch to come together. */
  void pauseBusy() {
    LockSupport.parkNanos(this, BUSY_NANOS);
  }

  /** Notes that events have come. */
  void busy() {
    idleNanos = MIN_IDLE_NANOS;
  }
}
