package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.server.store.Incarnation;
import io.retroscope.server.store.StoreListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the watermark: the lowest frontier of the nodes that count. Thread-safe.
 *
 * <p>It never falls. A run of a node that was silent for longer than the idle timeout, and for
 * longer than three of the heartbeat intervals that it promised, is left out, and let back in once
 * its frontier has reached the watermark; so is one that appears for the first time. One that is
 * heard from and yet does not get on, for blocks are missing that nobody sends, is left out after a
 * while too. The watermark waits for one that is close behind and on its way: else one that takes
 * longer to get here than the others could stay out for ever. A run that has stopped, or was
 * superseded by a later one, does not count any more; when all have stopped, it moves on to where
 * the last one did.
 *
 * <p>Over an {@link Inflow}, a run is silent only if it had sent nothing for that long by when the
 * inflow has been read to: what waits to be read is no silence. While an inflow is further behind
 * than that, the watermark does not pass what waits there either.
 */
public final class WatermarkTracker implements StoreListener {
  private static final Logger logger = LoggerFactory.getLogger(WatermarkTracker.class);
  private static final long GAP_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long a node may be heard from and not get on, and still holds the watermark. */
  static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * How long, at most, nodes may take to come back once an inflow works again. Their pauses between
   * attempts grow with the time that it did not, up to this.
   */
  static final long MAX_RETURN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final MonotonicClock clock;
  private final long idleNanos;
  private final Map<Incarnation.Name, Lane> lanes = new HashMap<>();
  private long hlc = HlcTimestamp.MIN_PACKED;
  private SortedSet<String> missing = Collections.emptySortedSet();
  private final List<Inflow> inflows = new CopyOnWriteArrayList<>();
  private final long startNanos;

  /** Threads in {@link #awaitAbove}. */
  private int waitingCount;

  /** Since when an inflow has been behind; empty while none is. */
  private OptionalLong behindSinceNanos = OptionalLong.empty();

  /** Up to when all that was sent had been read when the watermark was last moved on. */
  private long completeNanos = Long.MIN_VALUE;

  /** One run of a node, and whether it counts. */
  private static final class Lane {
    private Incarnation incarnation;
    private long lastHeardNanos;
    private long lastMovedNanos;
    private boolean counts;
    private long gapSinceNanos;
    private boolean gapReported;

    Lane(Incarnation incarnation, long now) {
      this.incarnation = incarnation;
      this.lastMovedNanos = now;
      this.gapSinceNanos = now;
    }

    /** How long it may be silent: what it promised itself may be longer than the idle timeout. */
    long patienceNanos(long idleNanos) {
      return Math.max(idleNanos, TimeUnit.MICROSECONDS.toNanos(incarnation.assuredMicros()));
    }
  }

  /** What is known of a node's run. */
  public record LaneStatus(
      Incarnation incarnation, boolean ended, boolean counts, long silentMicros) {}

  /**
   * A tracker.
   *
   * @param idleNanos how long a node may be silent and still holds the watermark
   * @param known what was stored before; as if heard from just now
   */
  public WatermarkTracker(MonotonicClock clock, long idleNanos, Collection<Incarnation> known) {
    this.clock = clock;
    this.idleNanos = idleNanos;
    this.startNanos = clock.nanos();
    heard(known);
  }

  /** From now on the watermark waits for what this inflow brings. */
  public void addInflow(Inflow inflow) {
    inflows.add(inflow);
  }

  @Override
  public void stored(EventBlock block) {}

  @Override
  public synchronized void heard(Collection<Incarnation> incarnations) {
    long now = clock.nanos();
    for (Incarnation incarnation : incarnations) {
      Lane lane = lanes.computeIfAbsent(incarnation.name(), name -> new Lane(incarnation, now));
      if (incarnation.frontier() > lane.incarnation.frontier()) {
        lane.lastMovedNanos = now;
      }
      lane.incarnation = incarnation;
      lane.lastHeardNanos = now;
    }
  }

  /** Moves the watermark on as far as it goes now. Called every so often by one thread. */
  public synchronized Watermark advance() {
    long now = clock.nanos();
    long complete = completeAsOf(now);
    completeNanos = complete;
    long lowest = HlcTimestamp.MAX_PACKED;
    for (Inflow inflow : inflows) {
      lowest = Math.min(lowest, inflow.bound());
    }
    boolean anyCounts = false;
    SortedMap<String, Boolean> present = new TreeMap<>(NaturalOrder.INSTANCE);
    for (Lane lane : running()) {
      lane.counts = counts(lane, complete);
      reportGap(lane, now);
      if (lane.counts) {
        anyCounts = true;
        lowest = Math.min(lowest, lane.incarnation.frontier());
      } else if (isCatchingUp(lane, complete)) {
        lowest = Math.min(lowest, hlc);
      }
      present.merge(lane.incarnation.name().node(), lane.counts, Boolean::logicalOr);
    }
    SortedSet<String> silent = new TreeSet<>(NaturalOrder.INSTANCE);
    present.forEach(
        (node, counts) -> {
          if (!counts) {
            silent.add(node);
          }
        });
    missing = Collections.unmodifiableSortedSet(silent);
    if (present.isEmpty()) {
      // Nobody runs, and all that was recorded is stored: the last rows need not wait for a
      // newcomer.
      lowest = Math.min(lowest, highestFrontier());
    }
    if ((anyCounts || present.isEmpty()) && lowest > hlc) {
      hlc = lowest;
      notifyAll();
    }
    return current();
  }

  private long highestFrontier() {
    return lanes.values().stream()
        .mapToLong(lane -> lane.incarnation.frontier())
        .max()
        .orElse(HlcTimestamp.MIN_PACKED);
  }

  /** Up to when everything that was sent has been read, on all ways in. */
  private long completeAsOf(long now) {
    long complete = now;
    for (Inflow inflow : inflows) {
      complete = Math.min(complete, Math.max(startNanos, inflow.completeAsOfNanos()));
    }
    if (now - complete > idleNanos) {
      behindSinceNanos = OptionalLong.of(behindSinceNanos.orElse(complete));
    } else if (behindSinceNanos.isPresent()) {
      awaitReturn(now, now - behindSinceNanos.getAsLong());
      behindSinceNanos = OptionalLong.empty();
    }
    return complete;
  }

  /** Who could not send while the way was blocked gets time to come back before it is silent. */
  private void awaitReturn(long now, long blockedNanos) {
    long until = now + Math.min(blockedNanos, MAX_RETURN_NANOS);
    for (Lane lane : lanes.values()) {
      if (lane.counts) {
        lane.lastHeardNanos = Math.max(lane.lastHeardNanos, until);
        lane.lastMovedNanos = Math.max(lane.lastMovedNanos, until);
      }
    }
  }

  private boolean counts(Lane lane, long complete) {
    if (complete - lane.lastHeardNanos > lane.patienceNanos(idleNanos) || isStuck(lane, complete)) {
      return false;
    }
    return lane.counts || lane.incarnation.frontier() >= hlc;
  }

  /** Whether it is worth waiting for: close behind, and on its way. */
  private boolean isCatchingUp(Lane lane, long complete) {
    long frontier = lane.incarnation.frontier();
    return frontier != EventBlock.NO_HEARTBEAT
        && complete - lane.lastMovedNanos <= lane.patienceNanos(idleNanos)
        && HlcTimestamp.micros(hlc) - HlcTimestamp.micros(frontier)
            <= TimeUnit.NANOSECONDS.toMicros(lane.patienceNanos(idleNanos));
  }

  /** A gap that nobody fills holds live queries up: whoever runs the server must know. */
  private void reportGap(Lane lane, long now) {
    long missingBlocks = lane.incarnation.gapCount();
    if (missingBlocks == 0) {
      lane.gapSinceNanos = now;
      lane.gapReported = false;
    } else if (!lane.gapReported && now - lane.gapSinceNanos > GAP_PATIENCE_NANOS) {
      lane.gapReported = true;
      logger.warn(
          "live queries wait for {} blocks of node {}, incarnation {}, that have not arrived for"
              + " {} s; after {} s they are taken for lost",
          missingBlocks,
          lane.incarnation.name().node(),
          lane.incarnation.name().incarnation(),
          TimeUnit.NANOSECONDS.toSeconds(GAP_PATIENCE_NANOS),
          TimeUnit.NANOSECONDS.toSeconds(Math.max(idleNanos, STUCK_NANOS)));
    }
  }

  /** The runs that have neither stopped nor been superseded. */
  private List<Lane> running() {
    Map<String, Incarnation> newest = new HashMap<>();
    for (Lane lane : lanes.values()) {
      if (lane.incarnation.startSeen()) {
        newest.merge(
            lane.incarnation.name().node(),
            lane.incarnation,
            (a, b) -> a.startHlc() >= b.startHlc() ? a : b);
      }
    }
    List<Lane> running = new ArrayList<>();
    for (Lane lane : lanes.values()) {
      Incarnation successor = newest.get(lane.incarnation.name().node());
      if (!isEnded(lane.incarnation, successor)) {
        running.add(lane);
      }
    }
    return running;
  }

  private static boolean isEnded(Incarnation incarnation, @Nullable Incarnation successor) {
    if (incarnation.isStopped()) {
      return true;
    }
    return successor != null
        && successor != incarnation
        && successor.startHlc() > incarnation.startHlc()
        && !successor.predecessorPending();
  }

  /**
   * Runs that are heard from and do not get on, for blocks are missing that nobody has sent for so
   * long that nobody will.
   */
  public synchronized List<Incarnation> stuck() {
    return running().stream()
        .filter(lane -> lane.incarnation.gapCount() > 0)
        .filter(lane -> completeNanos - lane.lastHeardNanos <= lane.patienceNanos(idleNanos))
        .filter(lane -> isStuck(lane, completeNanos))
        .map(lane -> lane.incarnation)
        .toList();
  }

  private boolean isStuck(Lane lane, long complete) {
    return complete - lane.lastMovedNanos > Math.max(lane.patienceNanos(idleNanos), STUCK_NANOS);
  }

  /** The watermark as it stands. */
  public synchronized Watermark current() {
    return new Watermark(hlc, missing);
  }

  /**
   * Waits until the watermark is above a stamp.
   *
   * @return the watermark, which may not be above it if the time ran out
   */
  public synchronized Watermark awaitAbove(long stamp, long timeoutMillis)
      throws InterruptedException {
    long deadline = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    waitingCount++;
    try {
      for (long left = timeoutMillis; hlc <= stamp && left > 0; ) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(deadline - clock.nanos());
      }
    } finally {
      waitingCount--;
    }
    return current();
  }

  /** The number of nodes that the watermark waits for. */
  public synchronized int countingNodeCount() {
    return (int)
        lanes.values().stream()
            .filter(lane -> lane.counts)
            .map(lane -> lane.incarnation.name().node())
            .distinct()
            .count();
  }

  /** Whether a thread waits for the watermark to move on. */
  public synchronized boolean isAwaited() {
    return waitingCount > 0;
  }

  /** Every run of every node, for operators. */
  public synchronized List<LaneStatus> lanes() {
    long now = clock.nanos();
    List<Lane> running = running();
    List<LaneStatus> all = new ArrayList<>();
    for (Lane lane : lanes.values()) {
      all.add(
          new LaneStatus(
              lane.incarnation,
              !running.contains(lane),
              lane.counts && running.contains(lane),
              TimeUnit.NANOSECONDS.toMicros(Math.max(0, now - lane.lastHeardNanos))));
    }
    return all;
  }
}
