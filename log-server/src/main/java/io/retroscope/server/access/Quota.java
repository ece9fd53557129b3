package io.retroscope.server.access;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The account of what a token's holder uses. Thread-safe. */
public final class Quota {
  /** The quota of callers that have none. */
  static final Quota NONE = new Quota(QuotaLimits.NONE, () -> 0);

  private final QuotaLimits limits;
  private final Allowance events;
  private final Allowance bytes;
  private final AtomicLong queries = new AtomicLong();
  private final AtomicLong streams = new AtomicLong();

  /** A query or stream that runs, until its end. */
  public interface Lease {
    /** Ends it; once counts. */
    void end();
  }

  /**
   * A rate, averaged over a second. A batch is charged after it was read, because only then its
   * events are known: the account may be overdrawn by one batch per connection, and what follows
   * waits until that has been made up for.
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

    /** Seconds, rounded up, until something is left; 0 if something is. */
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

  /** Records what a batch has brought. */
  public void chargeEvents(long count) {
    events.charge(count);
  }

  /** Records the size of a batch, as it came over the network. */
  public void chargeBytes(long count) {
    bytes.charge(count);
  }

  /** Begins a query; empty if as many run as may. */
  public Optional<Lease> query() {
    return lease(queries, limits.queries());
  }

  /** Begins a stream; empty if as many run as may. */
  public Optional<Lease> stream() {
    return lease(streams, limits.streams());
  }

  private static Optional<Lease> lease(AtomicLong running, long limit) {
    if (running.incrementAndGet() > limit) {
      running.decrementAndGet();
      return Optional.empty();
    }
    AtomicBoolean open = new AtomicBoolean(true);
    return Optional.of(
        () -> {
          if (open.compareAndSet(true, false)) {
            running.decrementAndGet();
          }
        });
  }
}
