package io.retroscope.sink;

import io.retroscope.event.EventBlock;
import io.retroscope.sink.Transport.Answer;
import io.retroscope.sink.Transport.Delivery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivers blocks over a {@link Transport}. Thread-safe.
 *
 * <p>A block is kept until the transport has delivered it and tried again until then, with growing
 * pauses. While the other side is away, blocks wait in memory, then on disk if there is a spill
 * directory, and when that is full too the oldest make room and are declared lost. A block that is
 * refused for good is counted, logged and not sent again.
 */
public class DeliveringSink implements EventSink {
  private static final System.Logger LOGGER = System.getLogger(DeliveringSink.class.getName());
  private static final int MAX_BATCH_BYTES = 1 << 20;
  private static final int MAX_REASON_LENGTH = 500;
  private static final long IDLE_NANOS = 1_000_000_000;
  private static final long REMIND_NANOS = 60_000_000_000L;

  private final Transport transport;
  private final Duration closeTimeout;
  private final Backoff backoff;
  private final LongSupplier nanos;
  private final Outbox outbox;
  private final Thread sender;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile boolean stopped;

  private final LongAdder delivered = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder retries = new LongAdder();

  /* Of the sender's thread. */

  /** How many parcels are sent one by one, to find the one that is refused. */
  private int singles;

  /** What was complained of last, and when; empty before the first time. */
  private String complaint = "";

  private long complainedNanos;
  private boolean complaining;

  /** The reason of the last failure, for {@link #statistics}. */
  private volatile String lastFailure = "";

  /**
   * Starts delivering.
   *
   * @throws UncheckedIOException if the spill directory cannot be used
   */
  protected DeliveringSink(Transport transport, DeliveringSinkBuilder<?> builder) {
    this.transport = transport;
    closeTimeout = builder.closeTimeout;
    backoff =
        new Backoff(builder.firstBackoff.toMillis(), builder.maxBackoff.toMillis(), builder.random);
    nanos = builder.nanos;
    outbox = new Outbox(builder.maxMemoryBytes, openSpill(builder), builder.nanos);
    sender = new Thread(this::sendAll, "retroscope-sink");
    sender.setDaemon(true);
    sender.start();
  }

  private static @Nullable SpillFiles openSpill(DeliveringSinkBuilder<?> builder) {
    try {
      return builder.spillDirectory == null
          ? null
          : new SpillFiles(builder.spillDirectory, builder.maxSpillBytes);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot spill into " + builder.spillDirectory, e);
    }
  }

  @Override
  public final void accept(EventBlock block) {
    if (block.number() < 1) {
      throw new IllegalArgumentException("not a block of a recorder's making: " + block);
    }
    if (stopped) {
      throw new IllegalStateException("the sink to " + transport.target() + " is closed");
    }
    outbox.offer(block);
  }

  @Override
  public final boolean keepsBlocks() {
    return false;
  }

  @Override
  public final Pace pace(Pace wanted) {
    return transport.pace(wanted);
  }

  private void sendAll() {
    try {
      for (boolean more = true; more && !stopped; ) {
        more = sendNext();
      }
    } catch (InterruptedException e) {
      // Only close() interrupts this thread, and then nobody waits for more.
      Thread.currentThread().interrupt();
    }
  }

  /** Sends what there is or comes soon; false if nothing is left and nothing will come. */
  private boolean sendNext() throws InterruptedException {
    try {
      List<Parcel> parcels = outbox.take(singles > 0 ? 1 : MAX_BATCH_BYTES, IDLE_NANOS);
      List<Parcel> batch = singles > 0 && parcels.size() > 1 ? parcels.subList(0, 1) : parcels;
      Parcel heartbeat = batch.size() == parcels.size() ? outbox.takeHeartbeat() : null;
      if (batch.isEmpty() && heartbeat == null) {
        return !closing.get();
      }
      settle(batch, transport.deliver(with(heartbeat, batch)));
    } catch (RuntimeException | Error e) {
      // Without this thread all that comes would be lost in silence.
      String reason = e.toString();
      if (!reason.equals(complaint)) {
        LOGGER.log(System.Logger.Level.ERROR, "a delivery failed unexpectedly", e);
      }
      tryAgain(reason);
    }
    return true;
  }

  private static List<Parcel> with(@Nullable Parcel heartbeat, List<Parcel> batch) {
    if (heartbeat == null) {
      return batch;
    }
    List<Parcel> all = new ArrayList<>(batch);
    all.add(heartbeat);
    return all;
  }

  private void settle(List<Parcel> batch, Delivery delivery) throws InterruptedException {
    switch (delivery.answer()) {
      case DELIVERED -> {
        delivered.add(batch.size());
        singles = Math.max(0, singles - batch.size());
        outbox.delivered(batch.size());
        recovered();
      }
      case REFUSED, CONFLICT -> {
        recovered();
        lastFailure = brief(delivery.reason());
        log("{0} refuses events: {1}", delivery.reason());
        if (batch.size() > 1) {
          singles = batch.size();
        } else if (batch.size() == 1) {
          singles = Math.max(0, singles - 1);
          refused.increment();
          outbox.refused(delivery.answer() == Answer.REFUSED);
        }
      }
      case RETRY -> tryAgain(delivery.reason());
    }
  }

  private void tryAgain(String reason) throws InterruptedException {
    complain(reason);
    retries.increment();
    outbox.pause(backoff.nextMillis());
  }

  /** Says why at once when the reason is a new one, else now and then. */
  private void complain(String reason) {
    long now = nanos.getAsLong();
    lastFailure = brief(reason);
    if (!reason.equals(complaint) || now - complainedNanos >= REMIND_NANOS) {
      log("{0} does not take events ({1}); trying again", reason);
      complaint = reason;
      complainedNanos = now;
      complaining = true;
    }
  }

  private void log(String text, String reason) {
    LOGGER.log(System.Logger.Level.WARNING, text, transport.target(), brief(reason));
  }

  private static String brief(String reason) {
    return reason.length() <= MAX_REASON_LENGTH
        ? reason
        : reason.substring(0, MAX_REASON_LENGTH) + "...";
  }

  private void recovered() {
    backoff.reset();
    if (complaining) {
      LOGGER.log(System.Logger.Level.INFO, "{0} takes events again", transport.target());
      complaining = false;
    }
  }

  @Override
  public final boolean flush(Duration timeout) {
    return outbox.flush(timeout.toNanos());
  }

  @Override
  public final boolean keepsUndelivered() {
    return outbox.isKept();
  }

  /**
   * Continues to deliver for up to the close timeout, also if the caller is interrupted. What is
   * left then stays in the spill for the next process, or is lost.
   */
  @Override
  public final void close() {
    if (!closing.compareAndSet(false, true)) {
      return;
    }
    outbox.startClosing();
    awaitSender();
    stopped = true;
    sender.interrupt();
    outbox.close();
    transport.close();
  }

  @Override
  public final SinkStatistics statistics() {
    return new SinkStatistics(
        lostEventCount(), retries.sum(), refused.sum(), transport.target(), lastFailure);
  }

  /** Waits as long for a caller that is interrupted: its events are no less worth. */
  private void awaitSender() {
    long start = nanos.getAsLong();
    boolean interrupted = false;
    for (long left = closeTimeout.toNanos(); left > 0 && sender.isAlive(); ) {
      try {
        sender.join(Math.max(1, left / 1_000_000));
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = closeTimeout.toNanos() - (nanos.getAsLong() - start);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Blocks and notices of loss that were delivered. */
  public final long deliveredCount() {
    return delivered.sum();
  }

  /** Blocks that were refused for good. */
  public final long refusedCount() {
    return refused.sum();
  }

  /** Deliveries that failed and were or will be tried again. */
  public final long retryCount() {
    return retries.sum();
  }

  /** Events in blocks that were discarded, refused, or undelivered at the end without a spill. */
  public final long lostEventCount() {
    return outbox.lostEventCount();
  }
}
