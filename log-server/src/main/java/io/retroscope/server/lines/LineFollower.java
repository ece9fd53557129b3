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
import io.retroscope.server.store.Incarnation;
import io.retroscope.server.store.StoreListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Gives the log lines that are stored, and then new ones as they come. Used by one thread; close
 * it.
 *
 * <p>A line waits until the watermark has passed its aligned time, so that those of all nodes that
 * are heard from can stand in order; a line of a node that was not heard from comes late, and says
 * so. What is held back and remembered is bounded.
 */
public final class LineFollower implements AutoCloseable {
  /** How far the watermark goes past a line's place, for what the estimates may be wrong by. */
  static final long MARGIN_MICROS = 100_000;

  /** A line waits no longer than this, whatever the watermark does. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Events that wait to be looked at; who is slower than they come is left behind. */
  static final int MAX_WAITING = 1 << 18;

  /** Memory of the blocks that they are in, and its share of what the process may use. */
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
    // Opened after listening has begun, so nothing falls between; what is in both is given once.
    try (EventSource.View view = source.open()) {
      reference = view.clockOffsets().referenceNode();
      merge = new LineHistory(view, request, wallClock.micros(), clockCheckedNanos).begin(sink);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Gives what is stored and begins to listen.
   *
   * @param source views of the store with the clocks lined up
   * @param wallClock the server's; "ago" counts from it
   * @param sink takes a stored line and says whether it wants more
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
   * The lines that may go now, in their order.
   *
   * @param timeoutMillis how long to wait for the watermark to move
   * @throws LineException if more events came than were taken
   */
  public List<AlignedLine> next(long timeoutMillis) throws InterruptedException {
    long watermark = watermarks.current().hlc();
    watermark = watermarks.awaitAbove(watermark, timeoutMillis).hlc();
    // What is that old waits for nobody, also where no node sends heartbeats.
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

  /** The lines that are still held back, in their order: for whoever waits no longer. */
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

  /** Times are told on one node's clock for as long as that is the driver's. */
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

  /** Blocks from the store's writing thread. Thread-safe. */
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
            "events came faster than their lines were taken, so the lines end here: ask again, for"
                + " fewer of them");
      }
      List<EventBlock> taken = List.copyOf(blocks);
      clear();
      return taken;
    }
  }
}
