// SPDX-License-Identifier: Apache-2.0
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
 * A sink that delivers blocks over a {@link Transport}. Thread-safe.
 *
 * <p>A block is kept until the transport has delivered it, and is retried until then with an
 * increasing backoff. While the other side is unavailable, blocks are queued in memory, then on
 * disk if there is a spill directory. When that is full too, the oldest blocks are discarded and
 * declared lost. A block that is permanently refused is counted, logged and not sent again.
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

  /* Owned by the sender's thread. */

  /** The number of parcels still to be sent one by one, to find the refused one. */
  private int singles;

  /** The reason of the last warning; empty before the first one. */
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
      throw new IllegalArgumentException("not a block created by a recorder: " + block);
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
      // Only close() interrupts this thread, and after that no caller waits for it.
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Sends the queued parcels, waiting briefly for new ones; false if the queue is empty and closed.
   */
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
      // Without this thread, all further blocks would be lost silently.
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

  /** Logs a new reason immediately, and a repeated one only occasionally. */
  private void complain(String reason) {
    long now = nanos.getAsLong();
    lastFailure = brief(reason);
    if (!reason.equals(complaint) || now - complainedNanos >= REMIND_NANOS) {
      log("{0} does not accept events ({1}); retrying", reason);
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
      LOGGER.log(System.Logger.Level.INFO, "{0} accepts events again", transport.target());
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
   * Continues to deliver for up to the close timeout, even if the caller is interrupted.
   * Undelivered blocks then remain in the spill directory for the next process, or are lost.
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
        lostEventCount(),
        delivered.sum(),
        retries.sum(),
        refused.sum(),
        outbox.memoryBytes(),
        outbox.spilledBytes(),
        transport.target(),
        lastFailure);
  }

  /** Waits just as long if the caller is interrupted, because its events are no less valuable. */
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

  /**
   * The number of events in blocks that were discarded, refused, or undelivered at the end without
   * a spill directory.
   */
  public final long lostEventCount() {
    return outbox.lostEventCount();
  }
}
