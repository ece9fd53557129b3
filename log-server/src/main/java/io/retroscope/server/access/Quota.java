// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.access;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The account of a token's usage. Thread-safe. */
public final class Quota {
  /** The quota of callers that have none. */
  static final Quota NONE = new Quota(QuotaLimits.NONE, () -> 0);

  private final QuotaLimits limits;
  private final Allowance events;
  private final Allowance bytes;
  private final AtomicLong queries = new AtomicLong();
  private final AtomicLong streams = new AtomicLong();

  /** The registration of a running query, or of streams, until its end. */
  public interface Lease {
    /** Ends it; further calls have no effect. */
    void end();
  }

  /**
   * A rate limit, averaged over a second. A batch is charged after it was read, because its events
   * are not known earlier. The account may therefore be overdrawn by one batch per connection;
   * further batches wait until the excess has been refilled.
   */
  private static final class Allowance {
    private final double perSecond;
    private final LongSupplier nanos;
    private double left;
    private long countedNanos;

    Allowance(long perSecond, LongSupplier nanos) {
      this.perSecond = perSecond;
      this.nanos = nanos;
      this.left = perSecond;
      this.countedNanos = nanos.getAsLong();
    }

    /** Seconds, rounded up, until the account is positive; 0 if it is. */
    synchronized long waitSeconds() {
      refill();
      return left > 0 ? 0 : (long) Math.floor(-left / perSecond) + 1;
    }

    synchronized void charge(long amount) {
      refill();
      left -= amount;
    }

    private void refill() {
      long now = nanos.getAsLong();
      double passed = (now - countedNanos) / (double) TimeUnit.SECONDS.toNanos(1);
      left = Math.min(perSecond, left + passed * perSecond);
      countedNanos = now;
    }
  }

  Quota(QuotaLimits limits, LongSupplier nanos) {
    this.limits = limits;
    events = new Allowance(limits.eventsPerSecond(), nanos);
    bytes = new Allowance(limits.bytesPerSecond(), nanos);
  }

  /** Seconds until the next batch is accepted; 0 if it is accepted now. */
  public long waitSeconds() {
    return Math.max(events.waitSeconds(), bytes.waitSeconds());
  }

  /** Charges the events of a batch. */
  public void chargeEvents(long count) {
    events.charge(count);
  }

  /** Charges the size of a batch as transferred over the network. */
  public void chargeBytes(long count) {
    bytes.charge(count);
  }

  /** Begins a query; empty if the limit is reached. */
  public Optional<Lease> query() {
    return lease(queries, 1, limits.queries());
  }

  /**
   * Begins streams together; empty if they would exceed the limit.
   *
   * @param count at least 1
   */
  public Optional<Lease> streams(int count) {
    return lease(streams, count, limits.streams());
  }

  private static Optional<Lease> lease(AtomicLong running, int count, long limit) {
    if (running.addAndGet(count) > limit) {
      running.addAndGet(-count);
      return Optional.empty();
    }
    AtomicBoolean open = new AtomicBoolean(true);
    return Optional.of(
        () -> {
          if (open.compareAndSet(true, false)) {
            running.addAndGet(-count);
          }
        });
  }
}
