// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.sink.Pace;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The single thread that takes events out of the ring, assembles blocks and issues heartbeat
 * promises.
 */
final class Drainer implements Runnable {
  /*
   * The promise. h = tick(), *then* read the ring's word. Once every slot below that tail is in a
   * block, every event that is not in a block yet is above h, because its writer claims after that
   * read and ticks after its claim. This holds regardless of the actions of other writers in the
   * meantime, needs no slot, and works while the ring is full. It breaks if either pair of steps is
   * swapped. One promise is pending at a time; a block sealed in the meantime carries the previous
   * promise.
   *
   * Stragglers. A writer that was preempted between claim and publication must not block all others
   * until the ring is full. Its slot is taken out of the ring (a new object replaces it) and polled
   * in each round; the pending promise waits for it. After ABANDON_NANOS it is abandoned by
   * compare-and-set and counted.
   *
   * Pauses. Each round ticks the clock and reads the ring's word, which takes both cache lines away
   * from the writers. A round that found few events is therefore followed by a pause, in which a
   * batch accumulates; see Pacing.
   */
  /** The time limit of a writer between claim and publication. */
  static final long ABANDON_NANOS = 250_000_000;

  /** The maximum wait of a block for its stamps to be bounded, if earlier ones were. */
  static final long BOUND_PATIENCE_NANOS = 20_000_000;

  private static final int SPINS = 64;
  private static final int RELEASE_EVERY = 256;
  private static final int BATCH = 256;
  private static final int MAX_REPAIRS_PER_ROUND = 1_000;
  private static final Diagnostics DIAGNOSTICS = new Diagnostics(Drainer.class);

  private final EventRing ring;
  private final HybridLogicalClock clock;
  private final BlockAssembler blocks;
  private final Repairs repairs;
  private final Counters counters;
  private final Pacing pacing;
  private final LongSupplier nanos;

  private final Stragglers stragglers;
  private final HlcReading reading = new HlcReading();

  /** The position below which all slots are drained or are stragglers. */
  private long position;

  /** The last tail that was read, extended to 64 bits. */
  private long tail;

  private long drops;

  /** The last promise in force. */
  private Promise promised = new Promise(EventBlock.NO_HEARTBEAT, 0, 0, 0);

  /** The pending promise; null if there is none. */
  private @Nullable Promise coming;

  private boolean boundAwaited;
  private long boundAwaitedNanos;
  private long handedHeartbeat = EventBlock.NO_HEARTBEAT;

  private final Flushes flushes;
  private volatile boolean stopRequested;
  private volatile boolean failing;
  private boolean failureLogged;
  private boolean stopping;
  private volatile @Nullable Thread thread;

  /**
   * A promise that every event not yet in a block is above {@code hlc} once the slots below {@code
   * tail} are drained.
   */
  private record Promise(long hlc, long tail, long lastSequence, long flush) {}

  Drainer(
      EventRing ring,
      HybridLogicalClock clock,
      BlockAssembler blocks,
      Repairs repairs,
      Counters counters,
      long heartbeatNanos,
      LongSupplier nanos) {
    this(ring, clock, blocks, repairs, counters, Pacing.fixed(heartbeatNanos), nanos);
  }

  Drainer(
      EventRing ring,
      HybridLogicalClock clock,
      BlockAssembler blocks,
      Repairs repairs,
      Counters counters,
      Supplier<Pace> pace,
      LongSupplier nanos) {
    this.ring = ring;
    this.clock = clock;
    this.blocks = blocks;
    this.repairs = repairs;
    this.counters = counters;
    this.pacing = new Pacing(pace, ring.capacity(), nanos);
    this.nanos = nanos;
    this.stragglers = new Stragglers(ring, counters, nanos);
    this.flushes = new Flushes(this::lostCount, nanos, () -> LockSupport.unpark(thread));
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      while (!stopRequested) {
        long before = position;
        guardedRound();
        if (!flushes.isPending()) {
          pause(position - before);
        }
      }
      failing = false;
      stop();
    } catch (Throwable e) {
      failed(e);
      ring.seal();
    } finally {
      flushes.end(!failing);
    }
  }

  private void pause(long drainedCount) {
    if (drainedCount == 0 && stragglers.isEmpty()) {
      do {
        pacing.pauseIdle(!blocks.isEmpty());
      } while (isQuiet());
      return;
    }
    if (drainedCount == 0 || drainedCount < Math.min(BATCH, ring.capacity() / 8)) {
      pacing.pauseBusy(!blocks.isEmpty());
    } else {
      pacing.batched();
    }
  }

  /** Whether another round would find nothing to do. */
  private boolean isQuiet() {
    try {
      pacing.refresh();
    } catch (RuntimeException | Error e) {
      // The next round encounters the failure as well, and reports it.
      return false;
    }
    long word = ring.word();
    return EventRing.tail(word) == (int) tail
        && EventRing.drops(word) == (int) drops
        && !pacing.isDue(!blocks.isEmpty())
        && repairs.isEmpty()
        && !flushes.isPending()
        && !stopRequested;
  }

  /** Runs a round and catches failures, because the next round may succeed. */
  private void guardedRound() {
    // Interrupts have no meaning here, and would close a sink's file.
    boolean ignored = Thread.interrupted();
    try {
      round();
      failing = false;
    } catch (Throwable e) {
      failed(e);
      LockSupport.parkNanos(this, ABANDON_NANOS);
    }
  }

  private void failed(Throwable e) {
    failing = true;
    if (!failureLogged) {
      failureLogged = true;
      DIAGNOSTICS.log(
          System.Logger.Level.ERROR,
          "the recorder cannot process its events; it drops and counts them until it can",
          null,
          e);
    }
  }

  /** Whether the last round failed, or the thread ended without recording the stop. */
  boolean isFailing() {
    return failing;
  }

  /** The number of events that were recorded and did not reach the sink. */
  long lostCount() {
    return counters.lostBySink.sum() + counters.lostByDrainer.sum();
  }

  /**
   * One round: drains, issues promises, and repairs. Tests call it directly to control the
   * interleaving.
   */
  void round() {
    Promise next = coming == null ? beginPromise() : coming;
    coming = next;
    readWord(ring.word());
    drain();
    stragglers.collect(this::append);
    if (isDrained(next.tail)) {
      keep(next);
    }
    if (!repairs.isEmpty() && tail - position < ring.capacity() / 2) {
      repair();
    }
    sealIfDue();
  }

  private Promise beginPromise() {
    long flush = flushes.requested();
    long hlc = clock.tick();
    readWord(ring.word());
    return new Promise(hlc, tail, tail + drops, flush);
  }

  private void readWord(long word) {
    tail += EventRing.tail(word) - (int) tail;
    drops += EventRing.drops(word) - (int) drops;
  }

  private void drain() {
    int unreleased = 0;
    long bytes = 0;
    while (position < tail) {
      Slot slot = ring.slot(position);
      if (isPublishedSoon(slot)) {
        append(slot, position);
        bytes += slot.recycle();
      } else if (!stragglers.take(slot, position)) {
        break;
      }
      position++;
      if (++unreleased == RELEASE_EVERY) {
        ring.release(position);
        unreleased = 0;
      }
    }
    ring.release(position);
    ring.unreserve(bytes);
  }

  private static boolean isPublishedSoon(Slot slot) {
    for (int i = 0; i < SPINS; i++) {
      if (slot.isPublished()) {
        return true;
      }
      Thread.onSpinWait();
    }
    return slot.isPublished();
  }

  private void append(Slot slot, long at) {
    long dropsBefore = drops + (slot.drops - (int) drops);
    try {
      blocks.add(slot, at + dropsBefore + 1);
    } catch (Throwable e) {
      counters.lostByDrainer.increment();
      failed(e);
    }
    if (blocks.isFull()) {
      seal();
    }
  }

  /** Whether every slot below the position is in a block or abandoned. */
  private boolean isDrained(long below) {
    return position >= below && !stragglers.hasBelow(below);
  }

  private void keep(Promise promise) {
    promised = promise;
    coming = null;
    if (flushes.isDue(promised.flush)) {
      seal();
      flushes.complete(promised.flush);
    }
  }

  private void repair() {
    int count = 0;
    for (Map.Entry<VariableHandle, Repairs.Pending> entry : repairs.entries()) {
      if (count++ == MAX_REPAIRS_PER_ROUND) {
        return;
      }
      VariableHandle variable = entry.getKey();
      EventBody body = new EventBody.StateChange(entry.getValue().changes(variable.variable));
      clock.tick(reading);
      if (repairs.take(variable, entry.getValue())) {
        own(variable.log, Event.NO_SEQUENCE, EventMark.REPAIR.bit(), body);
        counters.repaired.increment();
      }
    }
  }

  /** Adds an event of the drainer itself, stamped by {@link #reading}. */
  private void own(String log, long sequence, int marks, EventBody body) {
    try {
      blocks.add(log, reading, sequence, marks, body);
    } catch (Throwable e) {
      counters.lostByDrainer.increment();
      failed(e);
    }
    if (blocks.isFull()) {
      seal();
    }
  }

  private void sealIfDue() {
    pacing.refresh();
    if (!pacing.isDue(!blocks.isEmpty())) {
      return;
    }
    if (!blocks.isEmpty()) {
      sealOnceBound();
    } else if (promised.hlc > handedHeartbeat) {
      blocks.heartbeat(promised.hlc, promised.lastSequence, pacing.promiseMicros());
      handed();
    }
  }

  /**
   * Seals the block, or first waits briefly for a higher bound to be stored. This avoids marks
   * after a pause of the whole process, or after a message from a clock that is ahead.
   */
  private void sealOnceBound() {
    if (clock.isBound(blocks.highest())) {
      boundAwaited = false;
      seal();
    } else if (!boundAwaited) {
      boundAwaited = true;
      boundAwaitedNanos = nanos.getAsLong();
    } else if (nanos.getAsLong() - boundAwaitedNanos >= BOUND_PATIENCE_NANOS) {
      seal();
    }
  }

  private void seal() {
    boolean bound = clock.isBound(blocks.highest());
    // No event follows a stop.
    long promiseMicros = stopping ? 0 : pacing.promiseMicros();
    blocks.seal(promised.hlc, promised.lastSequence, promiseMicros, bound);
    handed();
  }

  private void handed() {
    handedHeartbeat = promised.hlc;
    pacing.handed();
  }

  /** Drains all slots that were claimed before the ring was sealed, and then records the stop. */
  private void stop() {
    readWord(ring.seal());
    long stopSequence = tail + drops + 1;
    while (!isDrained(tail)) {
      drain();
      stragglers.collect(this::append);
      if (!isDrained(tail)) {
        pacing.pauseBusy(!blocks.isEmpty());
      }
    }
    repair();
    stopping = true;
    clock.tick(reading);
    promised = new Promise(reading.hlc, tail, stopSequence, flushes.requested());
    own("", stopSequence, 0, new EventBody.Stop());
    seal();
  }

  /**
   * Waits until all slots claimed before the call have been passed to the sink.
   *
   * @return false if the timeout elapsed, if events were lost since the last flush that reported a
   *     loss, or if the thread ended without passing on all its events
   */
  boolean flush(long timeoutNanos) {
    return flushes.request(timeoutNanos);
  }

  /**
   * Ends recording; true if the drainer finished within the timeout and recorded the stop. An
   * interrupted caller waits as well, because its events are no less valuable.
   */
  boolean stop(long timeoutNanos) {
    stopRequested = true;
    LockSupport.unpark(thread);
    return flushes.awaitEnd(timeoutNanos) && !failing;
  }
}
