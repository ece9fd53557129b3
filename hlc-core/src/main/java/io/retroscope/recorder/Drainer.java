package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.sink.Pace;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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

  /** How many writers may be waited for while draining goes on behind them. */
  static final int MAX_STRAGGLERS = 256;

  private static final int SPINS = 64;
  private static final int RELEASE_EVERY = 256;
  private static final int BATCH = 256;
  private static final int MAX_REPAIRS_PER_ROUND = 1_000;
  private static final System.Logger LOGGER = System.getLogger(Drainer.class.getName());

  private final EventRing ring;
  private final HybridLogicalClock clock;
  private final BlockAssembler blocks;
  private final Repairs repairs;
  private final Counters counters;
  private final Pacing pacing;
  private final LongSupplier nanos;

  private final ArrayDeque<Straggler> stragglers = new ArrayDeque<>();
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

  private long handedHeartbeat = EventBlock.NO_HEARTBEAT;

  private final Object monitor = new Object();
  private volatile long flushRequested;
  private long flushDone;
  private volatile boolean stopRequested;
  private volatile boolean stopped;
  private volatile @Nullable Thread thread;

  /** A slot whose writer is late. */
  private record Straggler(Slot slot, long position, long sinceNanos) {}

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
  }

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      while (!stopRequested) {
        long before = position;
        guardedRound();
        if (flushRequested == flushDone) {
          pause(position - before);
        }
      }
      stop();
    } catch (RuntimeException e) {
      LOGGER.log(System.Logger.Level.ERROR, "the recorder's drainer failed while stopping", e);
    } finally {
      synchronized (monitor) {
        stopped = true;
        monitor.notifyAll();
      }
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
      clock.extendBound();
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
        && flushRequested == flushDone
        && !stopRequested;
  }

  /** A bug in one round must not end recording: the next one may fare better. */
  private void guardedRound() {
    try {
      round();
    } catch (RuntimeException | Error e) {
      LOGGER.log(System.Logger.Level.ERROR, "the recorder's drainer failed in a round", e);
      LockSupport.parkNanos(this, ABANDON_NANOS);
    }
  }

  private void round() {
    clock.extendBound();
    Promise next = coming == null ? beginPromise() : coming;
    coming = next;
    readWord(ring.word());
    drain();
    askStragglers();
    if (isDrained(next.tail)) {
      keep(next);
    }
    if (!repairs.isEmpty() && tail - position < ring.capacity() / 2) {
      repair();
    }
    sealIfDue();
  }

  private Promise beginPromise() {
    long flush = flushRequested;
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
    while (position < tail) {
      Slot slot = ring.slot(position);
      if (isPublishedSoon(slot)) {
        append(slot, position);
        slot.recycle();
      } else if (stragglers.size() < MAX_STRAGGLERS) {
        stragglers.add(new Straggler(slot, position, nanos.getAsLong()));
        ring.replace(position);
      } else {
        break;
      }
      position++;
      if (++unreleased == RELEASE_EVERY) {
        ring.release(position);
        unreleased = 0;
      }
    }
    ring.release(position);
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
    blocks.add(slot, at + dropsBefore + 1);
    if (blocks.isFull()) {
      seal();
    }
  }

  private void askStragglers() {
    Iterator<Straggler> all = stragglers.iterator();
    while (all.hasNext()) {
      Straggler straggler = all.next();
      Slot slot = straggler.slot;
      if (slot.isPublished()) {
        append(slot, straggler.position);
        all.remove();
      } else if (nanos.getAsLong() - straggler.sinceNanos >= ABANDON_NANOS && slot.abandon()) {
        counters.abandoned.increment();
        all.remove();
      }
    }
  }

  /** Whether every slot below is in a block or given up on. */
  private boolean isDrained(long below) {
    return position >= below && (stragglers.isEmpty() || stragglers.getFirst().position >= below);
  }

  private void keep(Promise promise) {
    promised = promise;
    coming = null;
    if (promised.flush > flushDone) {
      seal();
      synchronized (monitor) {
        flushDone = promised.flush;
        monitor.notifyAll();
      }
    }
  }

  private void repair() {
    int count = 0;
    for (Map.Entry<VariableHandle, Repairs.Pending> entry : repairs.entries()) {
      if (count++ == MAX_REPAIRS_PER_ROUND) {
        return;
      }
      VariableHandle variable = entry.getKey();
      clock.tick(reading);
      if (repairs.take(variable, entry.getValue())) {
        EventBody body = new EventBody.StateChange(entry.getValue().changes(variable.variable));
        own(variable.log, Event.NO_SEQUENCE, EventMark.REPAIR.bit(), body);
        counters.repaired.increment();
      }
    }
  }

  /** Adds an event of the drainer's own, stamped by {@link #reading}. */
  private void own(String log, long sequence, int marks, EventBody body) {
    blocks.add(log, reading.hlc, reading.physicalMicros, sequence, marks, body);
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
      seal();
    } else if (promised.hlc > handedHeartbeat) {
      blocks.heartbeat(promised.hlc, promised.lastSequence, pacing.promiseMicros());
      handed();
    }
  }

  private void seal() {
    blocks.seal(promised.hlc, promised.lastSequence, pacing.promiseMicros());
    handed();
  }

  private void handed() {
    handedHeartbeat = promised.hlc;
    pacing.handed();
  }

  /** Drains what was claimed before the ring was sealed, and records the stop behind all of it. */
  private void stop() {
    readWord(ring.seal());
    long stopSequence = tail + drops + 1;
    while (!isDrained(tail)) {
      drain();
      askStragglers();
      if (!isDrained(tail)) {
        pacing.pauseBusy();
      }
    }
    repair();
    clock.tick(reading);
    promised = new Promise(reading.hlc, tail, stopSequence, flushRequested);
    own("", stopSequence, 0, new EventBody.Stop());
    seal();
  }

  /** Waits until everything that was claimed before the call is handed to the sink. */
  boolean flush(long timeoutNanos) {
    long request;
    synchronized (monitor) {
      request = flushRequested + 1;
      flushRequested = request;
    }
    LockSupport.unpark(thread);
    return await(() -> flushDone >= request || stopped, timeoutNanos);
  }

  /** Ends recording, also for an interrupted caller; true if that was done within the time. */
  boolean stop(long timeoutNanos) {
    stopRequested = true;
    LockSupport.unpark(thread);
    long start = nanos.getAsLong();
    boolean interrupted = false;
    boolean done;
    do {
      interrupted |= Thread.interrupted();
      done = await(() -> stopped, timeoutNanos - (nanos.getAsLong() - start));
    } while (!done && Thread.currentThread().isInterrupted());
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return done;
  }

  /** Waits on the monitor for what is guarded by it; an interrupt ends the wait and is kept. */
  private boolean await(BooleanSupplier done, long timeoutNanos) {
    long start = nanos.getAsLong();
    synchronized (monitor) {
      while (!done.getAsBoolean()) {
        long left = timeoutNanos - (nanos.getAsLong() - start);
        if (left <= 0) {
          return false;
        }
        try {
          monitor.wait(Math.max(1, left / 1_000_000));
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return false;
        }
      }
      return true;
    }
  }
}
