package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.server.live.Lane.Standing;
import io.retroscope.server.store.Incarnation;
import io.retroscope.server.store.StoreListener;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the watermark: the lowest frontier of the nodes that count. Thread-safe.
 *
 * <p>It never falls. A run of a node that was silent for longer than the idle timeout, and for
 * longer than three of the heartbeat intervals that it promised, is left out, and let back in once
 * its frontier has reached the watermark; so is one that appears for the first time. One that is
 * heard from and yet does not get on, because blocks are missing that no sender has, is left out
 * after a while too. The watermark waits for one that is close behind and on its way: else one that
 * takes longer to get here than the others could stay out for ever. A run that has stopped, or was
 * superseded by a later one, does not count any more; when all have stopped, it moves on to where
 * the last one did. See {@link FastClocks} for nodes whose clocks are ahead.
 *
 * <p>Over an {@link Inflow}, a run is silent only if it had sent nothing for that long by when the
 * inflow has been read to: what waits to be read is no silence. While an inflow is further behind
 * than that, the watermark does not pass what waits there either.
 */
/*
 * Moving it on costs as much as has changed, not as much as is known: the runs that were heard from
 * are looked at, those whose time has come, and those that may have the lowest frontier. What has
 * ended costs memory only.
 */
public final class WatermarkTracker implements StoreListener {
  /**
   * How long, at most, nodes may take to come back once an inflow works again. Their pauses between
   * attempts grow with the time that it did not, up to this.
   */
  static final long MAX_RETURN_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final MonotonicClock clock;
  private final long idleNanos;
  private final Map<Incarnation.Name, Lane> lanes = new HashMap<>();
  private final Map<String, NodeLanes> nodes = new HashMap<>();
  private final List<Lane> changed = new ArrayList<>();
  private final Frontiers frontiers = new Frontiers();
  private final Deadlines deadlines = new Deadlines();
  private final FastClocks fastClocks;
  private final MissingBlocksLog gaps = new MissingBlocksLog();
  private final SortedSet<String> silent = new TreeSet<>(NaturalOrder.INSTANCE);
  private final List<Inflow> inflows = new CopyOnWriteArrayList<>();
  private final long startNanos;
  private long hlc = HlcTimestamp.MIN_PACKED;
  private long highest = HlcTimestamp.MIN_PACKED;
  private long heldMicros;

  /** Where the watermark was to go when a run last counted; it may have been held below. */
  private long reachable = HlcTimestamp.MIN_PACKED;

  /** A copy of {@link #silent} that is handed out; null if it is out of date. */
  private @Nullable SortedSet<String> missing;

  private int runningCount;
  private int catchingUpCount;

  /** Threads in {@link #awaitAbove}. */
  private int waitingCount;

  /** Since when an inflow has been behind; empty while none is. */
  private OptionalLong behindSinceNanos = OptionalLong.empty();

  /** Up to when all that was sent had been read when the watermark was last moved on. */
  private long completeNanos = Long.MIN_VALUE;

  /**
   * What is known of a node's run.
   *
   * @param leadMicros how far its clock was ahead of the server's when last heard; 0 if it was not
   */
  public record LaneStatus(
      Incarnation incarnation, boolean ended, boolean counts, long silentMicros, long leadMicros) {}

  /**
   * A tracker.
   *
   * @param serverClock says which nodes' clocks are ahead
   * @param idleNanos how long a node may be silent and still holds the watermark
   * @param known what was stored before; as if heard from just now
   */
  public WatermarkTracker(
      MonotonicClock clock,
      PhysicalClock serverClock,
      long idleNanos,
      Collection<Incarnation> known) {
    this.clock = clock;
    this.fastClocks = new FastClocks(serverClock, idleNanos);
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
      if (incarnation.isForgotten()) {
        drop(incarnation.name());
        continue;
      }
      NodeLanes node = nodes.computeIfAbsent(incarnation.name().node(), NodeLanes::new);
      Lane lane = lanes.computeIfAbsent(incarnation.name(), name -> node.open(incarnation, now));
      hear(lane, incarnation, now);
      if (node.heard(incarnation)) {
        node.running.values().forEach(this::change);
      }
    }
  }

  private void drop(Incarnation.Name run) {
    Lane lane = lanes.remove(run);
    if (lane != null) {
      lane.forgotten = true;
      change(lane);
      if (lane.node.close()) {
        nodes.remove(run.node());
      }
    }
  }

  /** Whether a run of the node has not ended and was heard from within its patience. */
  public synchronized boolean isHeardFrom(String node) {
    // What was heard since the last tick counts as well.
    advance();
    NodeLanes own = nodes.get(node);
    return own != null && own.running.values().stream().anyMatch(this::isHeardFrom);
  }

  /** Whether the run has not ended and was heard from within its patience. */
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
    lane.lastHeardNanos = now;
    lane.incarnation = incarnation;
    lane.leadMicros = fastClocks.leadMicros(incarnation.frontier());
    fastClocks.add(lane);
    highest = Math.max(highest, incarnation.frontier());
    change(lane);
  }

  private void change(Lane lane) {
    if (!lane.changed) {
      lane.changed = true;
      changed.add(lane);
    }
  }

  /** Moves the watermark on as far as it goes now. Called every so often by one thread. */
  public synchronized Watermark advance() {
    long now = clock.nanos();
    completeNanos = completeAsOf(now);
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
    return current();
  }

  /** Finds out what a run is to the watermark now, and when that may change by itself. */
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
    int before = running.size();
    if (lane.standing == Standing.ENDED) {
      running.remove(lane.incarnation.name());
    } else {
      running.put(lane.incarnation.name(), lane);
    }
    runningCount += running.size() - before;
  }

  private void noteMissing(NodeLanes node) {
    boolean news = node.isMissing() ? silent.add(node.name) : silent.remove(node.name);
    if (news) {
      missing = null;
    }
  }

  private void move() {
    long lowest = HlcTimestamp.MAX_PACKED;
    for (Inflow inflow : inflows) {
      lowest = Math.min(lowest, inflow.bound());
    }
    Lane last = frontiers.lowest();
    if (last != null) {
      lowest = Math.min(lowest, last.frontier());
      reachable = lowest;
    } else if (runningCount == 0) {
      // None runs, and all that was recorded is stored: the last rows need not wait for a newcomer.
      lowest = Math.min(lowest, highest);
    } else {
      // All are silent: only what was held because of a fast clock is still to come.
      lowest = Math.min(lowest, Math.max(hlc, reachable));
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
   * Runs that are heard from and do not get on, because blocks are missing that no sender has sent
   * for so long that none will.
   */
  public synchronized List<Incarnation> stuck() {
    return gaps.lanes().stream()
        .filter(lane -> !lane.node.isEnded(lane))
        .filter(lane -> completeNanos - lane.lastHeardNanos <= lane.patienceNanos(idleNanos))
        .filter(lane -> lane.isStuck(completeNanos, idleNanos))
        .map(lane -> lane.incarnation)
        .toList();
  }

  /** The watermark as it is now. */
  public synchronized Watermark current() {
    SortedSet<String> named = missing;
    if (named == null) {
      named = Collections.unmodifiableSortedSet(new TreeSet<>(silent));
      missing = named;
    }
    return new Watermark(hlc, named);
  }

  /**
   * By how much the watermark is lower than it would be if no node's clock were ahead of the
   * server's, in microseconds: so long are rows held.
   */
  public synchronized long heldMicros() {
    return heldMicros;
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
            .filter(lane -> lane.standing == Lane.Standing.COUNTS)
            .map(lane -> lane.node.name)
            .distinct()
            .count();
  }

  /** Whether a thread waits for the watermark to move on. */
  public synchronized boolean isAwaited() {
    return waitingCount > 0;
  }

  /** For how long rows are held because of each node whose clock is ahead, in microseconds. */
  public synchronized Map<String, Long> holders() {
    Map<String, Long> holders = new HashMap<>();
    if (heldMicros > 0) {
      for (Lane lane : lanes.values()) {
        if (FastClocks.isAhead(lane)) {
          holders.put(lane.node.name, heldMicros);
        }
      }
    }
    return holders;
  }

  /** That the server's clock is taken for the slow one, in one sentence; empty if it is not. */
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
              lane.leadMicros > FastClocks.TOLERATED_MICROS ? lane.leadMicros : 0));
    }
    return all;
  }
}
