// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.presence;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTimers;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The live nodes of a cut, for AT LIVE NODES: those with an event or a heartbeat within the idle
 * timeout before the cut, or within the time that their promised heartbeats assure. Used by one
 * thread.
 */
public final class LiveNodes {
  /*
   * Storage may omit events that no query of the walk follows, so these must make no difference.
   * Sightings say of all events when a node is live, unless it stopped: then what they had assured
   * ends, until it starts or writes again. So of the events only starts, stops and followed writes
   * count.
   *
   * HAZARD: a range of sightings may include a stop, because the node had promised more. After a
   * stop only the ends of ranges count. If the node then records without a start, and nothing that
   * the walk follows, it is live from the end of the range on, and not before.
   */
  private record Deadline(long hlc, int node) {}

  private final CutState state;
  private final SilenceLimits limits;
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(Comparator.comparingLong(Deadline::hlc));
  private long[] agesOutAt = {};
  private boolean[] live = {};

  /** The stamps up to which sightings assure that nodes are live, unless they stop. */
  private long[] assuredUntil = {};

  /** The nodes that stopped after their last start. */
  private final BitSet stopped = new BitSet();

  /** Creates live nodes that hide the values of a node after its limit. */
  public LiveNodes(CutState state, SilenceLimits limits) {
    this.state = state;
    this.limits = limits;
  }

  /** Returns whether the node with this id is live. */
  public boolean isLive(int node) {
    return node < live.length && live[node];
  }

  /**
   * Returns the nodes left out of the cut, in natural order, except for those that have stopped and
   * have written nothing since.
   */
  public SortedSet<String> silent() {
    SortedSet<String> names = new TreeSet<>(NaturalOrder.INSTANCE);
    for (int node = 0; node < state.nodes().size(); node++) {
      if (!isLive(node) && (!stopped.get(node) || state.hides(node))) {
        names.add(state.nodes().name(node));
      }
    }
    return names;
  }

  /**
   * Returns the range before a stamp that decides which nodes are live there. A node seen only
   * before the range is silent.
   */
  public HlcRange before(long hlc) {
    long longest = limits.promised(EventSource.MAX_ASSURED_MICROS);
    long micros = HlcTimestamp.micros(hlc) - longest;
    return new HlcRange(HlcTimestamp.pack(Math.max(0, micros)), hlc - 1);
  }

  /** The packed stamp at which the next node may become silent. */
  public long next() {
    return deadlines.isEmpty() ? CutTimers.NEVER : deadlines.peek().hlc();
  }

  public void see(Sighting sighting) {
    int node = idOf(sighting.node());
    long until = after(sighting.hlc(), limits.promised(sighting.assuredMicros()));
    assuredUntil[node] = until;
    if (sighting.isSeen() || !stopped.get(node)) {
      see(node, until, true);
    }
  }

  /** Notes an event: a start, a stop, or a write of a variable that the walk follows. */
  public void see(String name, long hlc, EventKind kind) {
    int node = idOf(name);
    long until = after(hlc, limits.promised(0));
    switch (kind) {
      case START, STATE_CHANGE -> {
        stopped.clear(node);
        see(node, Math.max(until, assuredUntil[node]), false);
      }
      case STOP -> {
        stopped.set(node);
        see(node, until, true);
      }
      case LOG_LINE, SEND, RECEIVE, HEARTBEAT -> {}
    }
  }

  private int idOf(String name) {
    int node = state.nodes().idOf(name);
    if (node >= live.length) {
      int known = live.length;
      live = Arrays.copyOf(live, Math.max(node + 4, 2 * known));
      agesOutAt = Arrays.copyOf(agesOutAt, live.length);
      assuredUntil = Arrays.copyOf(assuredUntil, live.length);
      Arrays.fill(assuredUntil, known, live.length, HlcTimestamp.MIN_PACKED);
    }
    return node;
  }

  private static long after(long hlc, long micros) {
    return HlcTimestamp.pack(Math.min(HlcTimestamp.MAX_MICROS, HlcTimestamp.micros(hlc) + micros));
  }

  /**
   * Records that a node is live until a stamp.
   *
   * @param replaces whether this replaces what was assured earlier; otherwise the later stamp
   *     counts
   */
  private void see(int node, long until, boolean replaces) {
    if (!live[node]) {
      live[node] = true;
      agesOutAt[node] = until;
      deadlines.add(new Deadline(until, node));
      state.setVisible(node, true);
    } else if (until > agesOutAt[node]) {
      agesOutAt[node] = until;
    } else if (replaces && until < agesOutAt[node]) {
      agesOutAt[node] = until;
      deadlines.add(new Deadline(until, node));
    }
  }

  /**
   * Ends the liveness of nodes whose deadline has passed. A node that was seen since then gets its
   * new deadline.
   */
  public void expire(long hlc) {
    while (!deadlines.isEmpty() && deadlines.peek().hlc() <= hlc) {
      int node = deadlines.remove().node();
      if (live[node] && agesOutAt[node] > hlc) {
        deadlines.add(new Deadline(agesOutAt[node], node));
      } else if (live[node]) {
        live[node] = false;
        state.setVisible(node, false);
      }
    }
  }
}
