// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.server.live.Lane.Standing;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Maintains the watermark: the lowest frontier of the nodes that count. Thread-safe.
 *
 * <p>The watermark never falls. It excludes a run that was silent for longer than the idle timeout
 * and for longer than three of the heartbeat intervals that it promised; the run counts again once
 * its frontier has reached the watermark. The same holds for a run that appears for the first time.
 * A run that is active but makes no progress, because no sender has its missing blocks, is excluded
 * after a while too; one whose stamps are too far ahead to count is silent. The watermark waits for
 * a run that is close and advancing, because otherwise one whose events take longer to arrive than
 * those of others could remain excluded forever. A run that has stopped, or was superseded by a
 * later one, no longer counts; when all have stopped, the watermark advances to the end of the last
 * one. See {@link FastClocks} for nodes whose clocks are ahead.
 *
 * <p>With an {@link Inflow}, a run is silent only if it had sent nothing for that long at the
 * instant up to which the inflow has been read: unread events are not silence. While an inflow lags
 * by more than that, the watermark does not pass the inflow's bound either.
 */
/*
 * The cost of advancing depends on the number of changes, not on the number of known runs: only
 * those runs are examined that have sent something, whose deadline has expired, or that may have
 * the lowest frontier. Ended runs cost only memory.
 */
public final class WatermarkTracker implements StoreListener {
  /**
   * The longest time for which returning nodes are awaited once an inflow works again. Their pauses
   * between attempts grow with the duration of the failure, up to this limit.
   */
  static final long MAX_RETURN_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Threads that follow the watermark are busy with its rows between two waits. */
  static final long AWAITED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final MonotonicClock clock;
  private final long idleNanos;
  private final Map<Incarnation.Name, Lane> lanes = new HashMap<>();
  private final Map<String, NodeLanes> nodes = new HashMap<>();
  private final List<Lane> changed = new ArrayList<>();
  private final Frontiers frontiers = new Frontiers();
  private final Deadlines deadlines = new Deadlines();
  private final FastClocks fastClocks;
  private final MissingBlocksLog gaps = new MissingBlocksLog();
  private final Set<String> silent = new HashSet<>();
  private final Inflows inflows;

  /** Sightings that other listeners of the store may not have received yet. */
  private final List<Incarnation> arrived = new ArrayList<>();

  private long hlc = HlcTimestamp.MIN_PACKED;
  private long highest = HlcTimestamp.MIN_PACKED;
  private long heldMicros;

  /** A copy of {@link #silent} for callers; null if it is outdated. */
  private @Nullable NavigableMap<String, Long> missing;

  private int catchingUpCount;

  /** The number of threads in {@link #awaitAbove}, and when the last one left it. */
  private int waitingCount;

  private long awaitedNanos;

  /** The instant up to which everything had been read when the watermark last advanced. */
  private long completeNanos = Long.MIN_VALUE;

  /**
   * The state of a node's run.
   *
   * @param leadMicros the lead of its clock over the server's at its last sighting; 0 if it had
   *     none
   */
  public record LaneStatus(
      Incarnation incarnation, boolean ended, boolean counts, long silentMicros, long leadMicros) {}

  /**
   * A tracker.
   *
   * @param serverClock the clock against which nodes' clocks are compared
   * @param idleNanos the longest silence of a node that holds the watermark
   * @param known the runs that were stored before, which are treated as active now
   */
  public WatermarkTracker(
      MonotonicClock clock,
      PhysicalClock serverClock,
      long idleNanos,
      Collection<Incarnation> known) {
    this.clock = clock;
    this.fastClocks = new FastClocks(serverClock, idleNanos);
    this.idleNanos = idleNanos;
    this.inflows = new Inflows(clock.nanos(), idleNanos);
    this.awaitedNanos = clock.nanos() - AWAITED_NANOS;
    known.forEach(this::hear);
  }

  /** Registers an inflow, whose events the watermark waits for from now on. */
  public void addInflow(Inflow inflow) {
    inflows.add(inflow);
  }

  /**
   * Waits for the known runs that have not ended, which may need longer to return after a start
   * than the idle timeout. Called before the watermark advances for the first time.
   *
   * @param graceNanos how long a run is awaited, at least as long as its allowed silence
   */
  public synchronized void awaitKnown(long graceNanos) {
    long now = clock.nanos();
    for (Lane lane : lanes.values()) {
      long more = Math.max(0, graceNanos - lane.patienceNanos(idleNanos));
      lane.lastHeardNanos = now + more;
      lane.lastMovedNanos = now + more;
      lane.awaited = true;
      change(lane);
    }
  }

  /** Whether the watermark waits for a run that has not returned since the start. */
  public synchronized boolean isAwaitingKnown() {
    return lanes.values().stream()
        .anyMatch(lane -> lane.awaited && lane.standing == Standing.COUNTS);
  }

  @Override
  public synchronized void stored(EventBlock block) {
    fastClocks.read(block);
  }

  /** As {@link #stored}, for a block of which only a notice has come. */
  public synchronized void noticed(BlockNotice block) {
    fastClocks.read(block.nodes().get(0), block.physicalMicros());
  }

  @Override
  public synchronized void heard(Collection<Incarnation> incarnations) {
    arrived.addAll(incarnations);
  }

  /*
   * Only now may the watermark pass the events: a listener that receives a block at or below the
   * watermark takes it for a late one, and a query that follows the watermark reads no further.
   */
  @Override
  public synchronized void published() {
    List<Incarnation> all = List.copyOf(arrived);
    arrived.clear();
    all.forEach(this::hear);
    if (waitingCount > 0) {
      moveOn();
    }
  }

  private void hear(Incarnation incarnation) {
    if (incarnation.isForgotten()) {
      drop(incarnation.name());
      return;
    }
    long now = clock.nanos();
    NodeLanes node = nodes.computeIfAbsent(incarnation.name().node(), NodeLanes::new);
    Lane lane = lanes.computeIfAbsent(incarnation.name(), name -> node.open(incarnation, now));
    hear(lane, incarnation, now);
    if (node.heard(incarnation)) {
      node.running.values().forEach(this::change);
    }
  }

  private void drop(Incarnation.Name run) {
    Lane lane = lanes.remove(run);
    if (lane != null) {
      lane.forgotten = true;
      change(lane);
      if (lane.node.close()) {
        nodes.remove(run.node());
        fastClocks.forget(run.node());
      }
    }
  }

  /**
   * Whether a run of the node has not ended and was active within its allowed silence, when
   * everything had last been read: unread events may be of it.
   */
  public synchronized boolean isHeardFrom(String node) {
    // Events since the last tick count as well.
    moveOn();
    NodeLanes own = nodes.get(node);
    return own != null && own.running.values().stream().anyMatch(this::isActive);
  }

  /** Whether the run has not ended and was active within its allowed silence. */
  public synchronized boolean isHeardFrom(Incarnation.Name run) {
    Lane lane = lanes.get(run);
    return lane != null && !lane.node.isEnded(lane) && isHeardFrom(lane);
  }

  private boolean isHeardFrom(Lane lane) {
    return clock.nanos() - lane.lastHeardNanos <= lane.patienceNanos(idleNanos);
  }

  private void hear(Lane lane, Incarnation incarnation, long now) {
    fastClocks.remove(lane);
    boolean moved = incarnation.frontier() > lane.frontier();
    lane.lastMovedNanos = moved ? now : lane.lastMovedNanos;
    // A clock that is too far ahead must not hold the watermark for as long as missing blocks do.
    lane.lastHeardNanos = incarnation.isTooFarAhead() ? lane.lastHeardNanos : now;
    lane.awaited = false;
    lane.incarnation = incarnation;
    lane.leadMicros = fastClocks.leadMicros(incarnation.frontier());
    fastClocks.add(lane);
    highest = Math.max(highest, incarnation.lastHeardHlc());
    if (silent.contains(lane.node.name)) {
      missing = null;
    }
    change(lane);
  }

  private void change(Lane lane) {
    if (!lane.changed) {
      lane.changed = true;
      changed.add(lane);
    }
  }

  /** Advances the watermark as far as possible. Called periodically, and for threads that wait. */
  public synchronized Watermark advance() {
    moveOn();
    return current();
  }

  private void moveOn() {
    long now = clock.nanos();
    completeNanos = inflows.completeAsOf(now);
    awaitReturn(now, inflows.blockedNanos(now, completeNanos));
    for (Lane lane : changed) {
      lane.changed = false;
      settle(lane);
      gaps.note(lane, now);
    }
    changed.clear();
    for (Lane due = deadlines.poll(completeNanos);
        due != null;
        due = deadlines.poll(completeNanos)) {
      settle(due);
    }
    gaps.report(now, idleNanos);
    move();
  }

  /** Determines a run's effect on the watermark, and when that may change by itself. */
  private void settle(Lane lane) {
    Standing before = lane.standing;
    Standing after = lane.forgotten ? Standing.ENDED : lane.standing(hlc, completeNanos, idleNanos);
    if (after != before || !lane.node.running.containsKey(lane.incarnation.name())) {
      fastClocks.remove(lane);
      lane.standing = after;
      fastClocks.add(lane);
      catchingUpCount += one(after == Standing.CATCHING_UP) - one(before == Standing.CATCHING_UP);
      lane.node.counting += one(after == Standing.COUNTS) - one(before == Standing.COUNTS);
      noteRunning(lane);
      noteMissing(lane.node);
    }
    if (after == Standing.COUNTS) {
      frontiers.add(lane);
    }
    if (after.isHeard()) {
      deadlines.add(lane, lane.deadlineNanos(idleNanos));
    }
  }

  private static int one(boolean condition) {
    return condition ? 1 : 0;
  }

  private void noteRunning(Lane lane) {
    Map<Incarnation.Name, Lane> running = lane.node.running;
    if (lane.standing == Standing.ENDED) {
      running.remove(lane.incarnation.name());
    } else {
      running.put(lane.incarnation.name(), lane);
    }
  }

  private void noteMissing(NodeLanes node) {
    boolean news = node.isMissing() ? silent.add(node.name) : silent.remove(node.name);
    if (news) {
      missing = null;
    }
  }

  private void move() {
    long lowest = inflows.bound();
    Lane last = frontiers.lowest();
    if (last != null) {
      lowest = Math.min(lowest, last.frontier());
    } else {
      // All runs have ended or are silent: the last rows need not wait for another event.
      lowest = Math.min(lowest, highest);
    }
    if (catchingUpCount > 0) {
      lowest = Math.min(lowest, hlc);
    }
    long allowed = fastClocks.limit(lowest);
    if (allowed > hlc) {
      hlc = allowed;
      notifyAll();
    }
    boolean holds = allowed < lowest;
    heldMicros = holds ? Math.max(0, HlcTimestamp.micros(lowest) - HlcTimestamp.micros(hlc)) : 0;
  }

  /**
   * A run that could not send while the inflow was blocked gets time to return before it is silent.
   */
  private void awaitReturn(long now, long blockedNanos) {
    if (blockedNanos == 0) {
      return;
    }
    long until = now + Math.min(blockedNanos, MAX_RETURN_NANOS);
    for (NodeLanes node : nodes.values()) {
      for (Lane lane : node.running.values()) {
        if (lane.standing == Standing.COUNTS) {
          lane.lastHeardNanos = Math.max(lane.lastHeardNanos, until);
          lane.lastMovedNanos = Math.max(lane.lastMovedNanos, until);
        }
      }
    }
  }

  /**
   * Runs of which blocks have been missing for so long that no sender will send them: active ones
   * that make no progress, and those that have ended or are silent.
   */
  public synchronized List<Incarnation> stuck() {
    return gaps.lanes().stream()
        .filter(lane -> lane.isMissingFor(completeNanos, idleNanos))
        .filter(lane -> !isActive(lane) || lane.isStuck(completeNanos, idleNanos))
        .map(lane -> lane.incarnation)
        .toList();
  }

  private boolean isActive(Lane lane) {
    return !lane.node.isEnded(lane)
        && completeNanos - lane.lastHeardNanos <= lane.patienceNanos(idleNanos);
  }

  /** The packed stamp of the current watermark. */
  synchronized long hlc() {
    return hlc;
  }

  /** The current watermark. */
  public synchronized Watermark current() {
    NavigableMap<String, Long> named = missing;
    if (named == null) {
      named = new TreeMap<>(NaturalOrder.INSTANCE);
      for (NodeLanes node : nodes.values()) {
        if (silent.contains(node.name)) {
          named.put(node.name, node.knownHlc());
        }
      }
      named = Collections.unmodifiableNavigableMap(named);
      missing = named;
    }
    return new Watermark(hlc, named);
  }

  /**
   * Why the rows of live queries are not up to date.
   *
   * @param missing of the nodes that the watermark leaves out, those that matter
   */
  synchronized Unheard unheard(Set<String> missing) {
    List<Incompleteness> leftOut = new ArrayList<>();
    for (String name : missing) {
      NodeLanes node = nodes.get(name);
      if (node != null && node.isMissing()) {
        leftOut.add(node.unheard());
      }
    }
    return new Unheard(leftOut, awaited());
  }

  /** The sentences about inflows that hold the watermark, whatever the nodes do. */
  public List<String> holdingInflows() {
    return inflows.holding();
  }

  /** What the watermark waits for: all that is overdue, if that has the lowest frontier. */
  private List<Incompleteness> awaited() {
    long now = clock.nanos();
    List<String> unread = inflows.holding();
    if (unread.isEmpty() && now - completeNanos > idleNanos) {
      unread = List.of("the topic has not been read to its end");
    }
    if (!unread.isEmpty()) {
      long last = hlc;
      return unread.stream()
          .<Incompleteness>map(sentence -> new Incompleteness.AfterEnd(last, sentence))
          .toList();
    }
    Lane lowest = frontiers.lowest();
    if (lowest == null || !lowest.isOverdue(completeNanos, idleNanos)) {
      return List.of();
    }
    Map<String, Incompleteness> overdue = new TreeMap<>(NaturalOrder.INSTANCE);
    for (NodeLanes node : nodes.values()) {
      for (Lane lane : node.running.values()) {
        if (lane.standing == Standing.COUNTS && lane.isOverdue(completeNanos, idleNanos)) {
          overdue.put(node.name, lane.unheard());
        }
      }
    }
    return List.copyOf(overdue.values());
  }

  /**
   * The first stamp of a live query that opens now: stored events are history, even while the
   * watermark still waits for runs that have not returned since the start of the server.
   */
  public synchronized long openingHlc() {
    long stored =
        lanes.values().stream()
            .filter(lane -> lane.standing == Standing.COUNTS && !lane.awaited)
            .filter(FastClocks::isCurrent)
            .mapToLong(Lane::frontier)
            .min()
            .orElse(highest);
    long last = Math.max(hlc, fastClocks.limit(stored));
    return last == HlcTimestamp.MIN_PACKED ? last : last + 1;
  }

  /**
   * The distance by which the watermark is lower than it would be if no node's clock were ahead of
   * the server's, in microseconds. Rows are held for this time.
   */
  public synchronized long heldMicros() {
    return heldMicros;
  }

  /**
   * Waits until the watermark is above a stamp.
   *
   * @return the watermark, which is not above it if the time expired
   */
  public Watermark awaitAbove(long stamp, long timeoutMillis) throws InterruptedException {
    return awaitAbove(stamp, timeoutMillis, () -> false);
  }

  /**
   * Waits until the watermark is above a stamp, or there is other work.
   *
   * @param isDue whether there is; looked at again after {@link #wake}
   * @return the watermark, which is not above the stamp if the time expired, or other work is due
   */
  public synchronized Watermark awaitAbove(long stamp, long timeoutMillis, BooleanSupplier isDue)
      throws InterruptedException {
    long deadline = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    if (hlc <= stamp && !changed.isEmpty()) {
      moveOn(); // Events that were stored while nobody waited.
    }
    waitingCount++;
    try {
      for (long left = timeoutMillis; hlc <= stamp && left > 0 && !isDue.getAsBoolean(); ) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(deadline - clock.nanos());
      }
    } finally {
      waitingCount--;
      awaitedNanos = clock.nanos();
    }
    return current();
  }

  /** Lets the threads in {@link #awaitAbove} look for other work. */
  public synchronized void wake() {
    notifyAll();
  }

  /** The number of nodes that the watermark waits for. */
  public synchronized int countingNodeCount() {
    return (int)
        lanes.values().stream()
            .filter(lane -> lane.standing == Lane.Standing.COUNTS)
            .map(lane -> lane.node.name)
            .distinct()
            .count();
  }

  /** Whether a thread waits for the watermark to advance, or did so recently and may again. */
  public synchronized boolean isAwaited() {
    return waitingCount > 0 || clock.nanos() - awaitedNanos < AWAITED_NANOS;
  }

  /**
   * The time for which rows are held because of each node whose clock is ahead, in microseconds.
   */
  public synchronized Map<String, Long> holders() {
    Map<String, Long> holders = new HashMap<>();
    if (heldMicros > 0) {
      boolean isAnyFast = lanes.values().stream().anyMatch(fastClocks::hasFastClock);
      for (Lane lane : lanes.values()) {
        // Stamps may be ahead because of a node that is silent now.
        if (isAnyFast ? fastClocks.hasFastClock(lane) : FastClocks.isAhead(lane)) {
          holders.put(lane.node.name, heldMicros);
        }
      }
    }
    return holders;
  }

  /** A sentence about a server clock that is assumed to be slow; empty if it is not. */
  public synchronized Optional<String> clockTrouble() {
    return fastClocks.trouble(lanes.values());
  }

  /** Every run of every node, for operators. */
  public synchronized List<LaneStatus> lanes() {
    long now = clock.nanos();
    List<LaneStatus> all = new ArrayList<>(lanes.size());
    for (Lane lane : lanes.values()) {
      all.add(
          new LaneStatus(
              lane.incarnation,
              lane.node.isEnded(lane),
              lane.standing == Standing.COUNTS,
              TimeUnit.NANOSECONDS.toMicros(Math.max(0, now - lane.lastHeardNanos)),
              fastClocks.clockLeadMicros(lane) > FastClocks.TOLERATED_MICROS
                  ? fastClocks.clockLeadMicros(lane)
                  : 0));
    }
    return all;
  }
}
