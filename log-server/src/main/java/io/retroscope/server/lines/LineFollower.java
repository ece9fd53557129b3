// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Returns the stored log lines, and then new ones as they arrive. Used by one thread; must be
 * closed.
 *
 * <p>A line is held until the watermark has passed its aligned time, so that the lines of all
 * active nodes can be ordered. A line of a node that was not active arrives late, and is marked so.
 * The number of lines that are held and remembered is bounded.
 */
public final class LineFollower implements AutoCloseable {
  /**
   * The distance of the watermark from a line's position at which the line is released, to allow
   * for errors of the estimates.
   */
  static final long MARGIN_MICROS = 100_000;

  /** The longest time for which a line is held, whatever the watermark. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The largest number of unprocessed events; a slower reader is disconnected. */
  static final int MAX_WAITING = 1 << 18;

  /** The memory of the unprocessed blocks, within the memory budget of the process. */
  private static final long MAX_WAITING_BYTES = 32 << 20;

  private static final int WAITING_SHARE = 128;

  private static final long CLOCK_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final Comparator<Event> BY_NODE =
      Comparator.comparing(Event::node, NaturalOrder.INSTANCE);

  private final EventStore store;
  private final EventSource source;
  private final WatermarkTracker watermarks;
  private final PhysicalClock wallClock;
  private final MonotonicClock clock;
  private final Arrivals arrivals;
  private final HoldingQueue<Event> unordered = new HoldingQueue<>(LineMerge.MAX_HELD, BY_NODE);
  private final LineMerge merge;
  private Optional<String> reference;
  private long clockCheckedNanos;

  private LineFollower(
      EventStore store,
      EventSource source,
      WatermarkTracker watermarks,
      PhysicalClock wallClock,
      MonotonicClock clock,
      LineRequest request,
      Predicate<AlignedLine> sink) {
    this.store = store;
    this.source = source;
    this.watermarks = watermarks;
    this.wallClock = wallClock;
    this.clock = clock;
    this.clockCheckedNanos = clock.nanos();
    this.arrivals =
        new Arrivals(
            store.memory().charge(),
            Math.min(MAX_WAITING_BYTES, store.memory().totalBytes() / WAITING_SHARE));
    store.addListener(arrivals);
    // Opened after listening has begun, so that no event is missed; an event in both is returned
    // once.
    try (EventSource.View view = source.open()) {
      reference = view.clockOffsets().referenceNode();
      merge = new LineHistory(view, request, wallClock.micros(), clockCheckedNanos).begin(sink);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Returns the stored lines and begins to listen.
   *
   * @param source views of the store with aligned clocks
   * @param wallClock the server's clock, which "ago" refers to
   * @param sink receives a stored line and returns whether it wants more
   * @throws LineException if the request cannot be answered
   */
  public static LineFollower start(
      EventStore store,
      EventSource source,
      WatermarkTracker watermarks,
      PhysicalClock wallClock,
      MonotonicClock clock,
      LineRequest request,
      Predicate<AlignedLine> sink) {
    return new LineFollower(store, source, watermarks, wallClock, clock, request, sink);
  }

  /**
   * The lines that can be released now, in order.
   *
   * @param timeoutMillis how long to wait for the watermark to advance
   * @throws LineException if more events arrived than were taken
   */
  public List<AlignedLine> next(long timeoutMillis) throws InterruptedException {
    long watermark = watermarks.current().hlc();
    watermark = watermarks.awaitAbove(watermark, timeoutMillis).hlc();
    // A line of this age is not held, even if no node sends heartbeats.
    long old = wallClock.micros() - TimeUnit.NANOSECONDS.toMicros(PATIENCE_NANOS);
    long complete = Math.max(watermark, HlcTimestamp.pack(Math.max(0, old)));
    long now = clock.nanos();
    for (EventBlock block : arrivals.take()) {
      hold(block, now);
    }
    checkClock(now);
    long patience = now - PATIENCE_NANOS;
    for (Optional<HoldingQueue.Held<Event>> event = unordered.poll(complete, patience);
        event.isPresent();
        event = unordered.poll(complete, patience)) {
      merge.add(event.get().item(), event.get().arrivedNanos());
    }
    return ready(HlcTimestamp.micros(complete) - MARGIN_MICROS, patience);
  }

  /** The new sentences about levels of lines that cannot be judged. */
  public List<String> notes() {
    return merge.notes();
  }

  /** The lines that are still held, in order, for a reader that stops waiting. */
  public List<AlignedLine> rest() {
    return ready(Long.MAX_VALUE, clock.nanos());
  }

  private List<AlignedLine> ready(long horizon, long patience) {
    List<AlignedLine> lines = new ArrayList<>();
    for (Optional<AlignedLine> line = merge.poll(horizon, patience);
        line.isPresent();
        line = merge.poll(horizon, patience)) {
      lines.add(line.get());
    }
    return lines;
  }

  private void hold(EventBlock block, long now) {
    for (int row = 0; row < block.size(); row++) {
      EventKind kind = block.kind(row);
      if (kind == EventKind.LOG_LINE || kind == EventKind.SEND || kind == EventKind.RECEIVE) {
        unordered.add(block.event(row), block.hlc(row), now);
      }
    }
  }

  /** Keeps using one node's clock for as long as it is the driver's. */
  private void checkClock(long now) {
    if (reference.isPresent() && now - clockCheckedNanos < CLOCK_CHECK_NANOS) {
      return;
    }
    clockCheckedNanos = now;
    try (EventSource.View view = source.open()) {
      ClockOffsets clocks = view.clockOffsets();
      if (!clocks.referenceNode().equals(reference)) {
        reference = clocks.referenceNode();
        merge.use(clocks);
      }
    }
  }

  @Override
  public void close() {
    store.removeListener(arrivals);
    arrivals.end();
  }

  /** The blocks from the store's writing thread. Thread-safe. */
  private static final class Arrivals implements StoreListener {
    private final ArrayDeque<EventBlock> blocks = new ArrayDeque<>();
    private final Charge charge;
    private final long maxBytes;
    private int waitingCount;
    private boolean leftBehind;

    Arrivals(Charge charge, long maxBytes) {
      this.charge = charge;
      this.maxBytes = maxBytes;
    }

    @Override
    public synchronized void stored(EventBlock block) {
      if (leftBehind || block.isEmpty()) {
        return;
      }
      long bytes = charge.bytes() + block.memoryBytes();
      boolean isFirst = blocks.isEmpty();
      leftBehind =
          waitingCount + block.size() > MAX_WAITING
              || (bytes > maxBytes && !isFirst)
              || !charge.tryResize(bytes);
      if (leftBehind) {
        clear();
      } else {
        blocks.add(block);
        waitingCount += block.size();
      }
    }

    private void clear() {
      blocks.clear();
      waitingCount = 0;
      charge.close();
    }

    synchronized void end() {
      leftBehind = true;
      clear();
    }

    @Override
    public void heard(Collection<Incarnation> incarnations) {}

    synchronized List<EventBlock> take() {
      if (leftBehind) {
        throw new LineException(
            "events arrived faster than their lines were read, so the output ends here: request"
                + " fewer lines");
      }
      List<EventBlock> taken = List.copyOf(blocks);
      clear();
      return taken;
    }
  }
}
