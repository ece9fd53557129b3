// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.WatermarkTracker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

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

  private static final long CLOCK_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final Comparator<Event> BY_NODE =
      Comparator.comparing(Event::node, NaturalOrder.INSTANCE);

  private final Parts parts;
  private final Arrivals arrivals;
  private final HoldingQueue<Event> unordered = new HoldingQueue<>(LineMerge.MAX_HELD, BY_NODE);
  private final LineMerge merge;
  private Optional<String> reference;
  private long clockCheckedNanos;

  /**
   * The parts of a server that lines are followed with.
   *
   * @param arrivals begins to listen
   * @param source views that contain everything that does not arrive later
   * @param offsets of the nodes' clocks, as they are known now
   * @param wallClock the server's clock, which "ago" refers to
   */
  public record Parts(
      Supplier<Arrivals> arrivals,
      EventSource source,
      Supplier<ClockOffsets> offsets,
      WatermarkTracker watermarks,
      PhysicalClock wallClock,
      MonotonicClock clock) {}

  private LineFollower(Parts parts, LineRequest request, Predicate<AlignedLine> sink) {
    this.parts = parts;
    this.clockCheckedNanos = parts.clock.nanos();
    this.arrivals = parts.arrivals.get();
    // Opened after listening has begun, so that no event is missed; an event in both is returned
    // once.
    try (EventSource.View view = parts.source.open()) {
      reference = view.clockOffsets().referenceNode();
      merge =
          new LineHistory(view, request, parts.wallClock.micros(), clockCheckedNanos).begin(sink);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Returns the stored lines and begins to listen.
   *
   * @param sink receives a stored line and returns whether it wants more
   * @throws LineException if the request cannot be answered
   */
  public static LineFollower start(Parts parts, LineRequest request, Predicate<AlignedLine> sink) {
    return new LineFollower(parts, request, sink);
  }

  /**
   * The lines that can be released now, in order.
   *
   * @param timeoutMillis how long to wait for the watermark to advance
   * @throws LineException if more events arrived than were taken
   */
  public List<AlignedLine> next(long timeoutMillis) throws InterruptedException {
    long watermark = parts.watermarks.current().hlc();
    watermark = parts.watermarks.awaitAbove(watermark, timeoutMillis).hlc();
    // A line of this age is not held, even if no node sends heartbeats.
    long old = parts.wallClock.micros() - TimeUnit.NANOSECONDS.toMicros(PATIENCE_NANOS);
    long complete = Math.max(watermark, HlcTimestamp.pack(Math.max(0, old)));
    long now = parts.clock.nanos();
    arrivals.take(event -> unordered.add(event, event.hlc(), now));
    checkClock(now);
    long patience = now - PATIENCE_NANOS;
    for (Optional<HoldingQueue.Held<Event>> event = unordered.poll(complete, patience);
        event.isPresent();
        event = unordered.poll(complete, patience)) {
      merge.add(event.get().item(), event.get().arrivedNanos());
    }
    return ready(HlcTimestamp.micros(complete) - MARGIN_MICROS, patience);
  }

  /** The new sentences about lines that wait, and about levels that cannot be judged. */
  public List<String> notes() {
    return Stream.concat(arrivals.notes().stream(), merge.notes().stream()).toList();
  }

  /** The lines that are still held, in order, for a reader that stops waiting. */
  public List<AlignedLine> rest() {
    return ready(Long.MAX_VALUE, parts.clock.nanos());
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

  /** Keeps using one node's clock for as long as it is the driver's. */
  private void checkClock(long now) {
    if (reference.isPresent() && now - clockCheckedNanos < CLOCK_CHECK_NANOS) {
      return;
    }
    clockCheckedNanos = now;
    ClockOffsets clocks = parts.offsets.get();
    if (!clocks.referenceNode().equals(reference)) {
      reference = clocks.referenceNode();
      merge.use(clocks);
    }
  }

  @Override
  public void close() {
    arrivals.close();
  }
}
