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
 * The one thread that takes events out of the ring, makes blocks of them and gives the heartbeat
 * promise.
 */
final class Drainer implements Runnable {
  /*
   * The promise. h = tick(), *then* read the ring's word; once every slot below that tail is in a block, every event
   * in no block so far is above h: its writer claims after that read, and ticks after its claim. It holds whatever the
   * other writers do meanwhile, needs no slot, and works while the ring is full. Swap either pair of steps and it
   * breaks. One promise is under way at a time; a block that is sealed meanwhile carries the one before.
   *
   * Stragglers. A writer that was preempted between claim and publication must not hold up all others until the ring
   * is full. Its slot is taken out of the ring (a fresh object takes the place) and asked again each round; the promise
   * under way waits for it. After ABANDON_NANOS it is abandoned by compare-and-set and counted.
   *
   * Pauses. Each round ticks the clock and reads the ring's word, and so takes both cache lines away from the writers.
   * A round that found little is therefore followed by a pause, in which a batch comes together; see Pacing.
   */
  /** How long a writer may take between claim and publication. */
  static final long ABANDON_NANOS = 250_000_000;

  /** How long a block may wait for its stamps to be bound, if they were before. */
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

  /** The slots below are drained or among the stragglers. */
  private long position;

  /** The word as read last, extended to 64 bits. */
  private long tail;

  private long drops;

  /** The last promise that holds. */
  private Promise promised = new Promise(EventBlock.NO_HEARTBEAT, 0, 0, 0);

  /** The promise under way; null between two. */
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

  /** Every event in no block is above {@code hlc} once the slots below {@code tail} are drained. */
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
    pacing.busy();
    if (drainedCount == 0 || drainedCount < Math.min(BATCH, ring.capacity() / 8)) {
      pacing.pauseBusy();
    }
  }

  /** Whether another round would find nothing to do. */
  private boolean isQuiet() {
    try {
      pacing.refresh();
    } catch (RuntimeException | Error e) {
      // The next round meets it as well, and says so.
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

  /** Runs a round; the next one may fare better than one that failed. */
  private void guardedRound() {
    // An interrupt means nothing here, and would close a sink's file.
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

  /** Events that were recorded and did not reach the sink. */
  long lostCount() {
    return counters.lostBySink.sum() + counters.lostByDrainer.sum();
  }

  /** One turn: drains, gives promises, repairs. Tests call it themselves to interleave it. */
  void round() {
    Promise next = coming == null ? beginPromise() : coming;
    coming = next;
    readWord(ring.word());
    drain();
    stragglers.ask(this::append);
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

  /** Whether every slot below is in a block or given up on. */
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

  /** Adds an event of the drainer's own, stamped by {@link #reading}. */
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
   * Seals, or gives a higher bound a moment to be stored: after a pause of the whole process, or
   * after a message from a clock that is ahead, no mark is needed then.
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
    // Nothing comes after a stop.
    long promiseMicros = stopping ? 0 : pacing.promiseMicros();
    blocks.seal(promised.hlc, promised.lastSequence, promiseMicros, bound);
    handed();
  }

  private void handed() {
    handedHeartbeat = promised.hlc;
    pacing.handed();
  }

  /** Drains what was claimed before the ring was sealed, and records the stop after all of it. */
  private void stop() {
    readWord(ring.seal());
    long stopSequence = tail + drops + 1;
    while (!isDrained(tail)) {
      drain();
      stragglers.ask(this::append);
      if (!isDrained(tail)) {
        pacing.pauseBusy();
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
   * Waits until everything that was claimed before the call is handed to the sink.
   *
   * @return false if the time was up, events were lost since the last flush that said so, or the
   *     thread ended without handing over what it had
   */
  boolean flush(long timeoutNanos) {
    return flushes.request(timeoutNanos);
  }

  /**
   * Ends recording; true if the drainer was done within the time, the stop recorded. An interrupted
   * caller waits too: its events are worth no less.
   */
  boolean stop(long timeoutNanos) {
    stopRequested = true;
    LockSupport.unpark(thread);
    return flushes.awaitEnd(timeoutNanos) && !failing;
  }
}
