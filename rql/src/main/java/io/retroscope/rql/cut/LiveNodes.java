package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Sighting;
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
  private record Deadline(long hlc, int node) {}

  private final CutState state;
  private final long idleTimeoutMicros;
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(Comparator.comparingLong(Deadline::hlc));
  private long[] agesOutAt = new long[4];
  private boolean[] live = new boolean[4];

  /** The nodes whose last event is a stop. */
  private final BitSet stopped = new BitSet();

  /** Creates live nodes that hide the values of a node after the idle timeout. */
  public LiveNodes(CutState state, long idleTimeoutMicros) {
    this.state = state;
    this.idleTimeoutMicros = idleTimeoutMicros;
  }

  /** Returns whether the node with this id is live. */
  public boolean isLive(int node) {
    return node < live.length && live[node];
  }

  /** Returns the nodes left out of the cut that have not stopped, in natural order. */
  public SortedSet<String> silent() {
    SortedSet<String> names = new TreeSet<>(NaturalOrder.INSTANCE);
    for (int node = 0; node < state.nodes().size(); node++) {
      if (!isLive(node) && !stopped.get(node)) {
        names.add(state.nodes().name(node));
      }
    }
    return names;
  }

  /**
   * Returns the range before a stamp that decides which nodes are live there. A node seen only
   * before the range is silent.
   */
  HlcRange before(long hlc) {
    long longest = Math.max(idleTimeoutMicros, EventSource.MAX_ASSURED_MICROS);
    long micros = HlcTimestamp.micros(hlc) - longest;
    return new HlcRange(HlcTimestamp.pack(Math.max(0, micros)), hlc - 1);
  }

  /** The packed stamp at which the next node may become silent. */
  long next() {
    return deadlines.isEmpty() ? CutTimers.NEVER : deadlines.peek().hlc();
  }

  void see(Sighting sighting) {
    long assured = sighting.assuredMicros();
    see(sighting.node(), sighting.hlc(), Math.max(idleTimeoutMicros, assured), assured >= 0);
  }

  /** Records an event as a sighting; a stop ends what the node had promised. */
  void see(String node, long hlc, EventKind kind) {
    see(node, hlc, idleTimeoutMicros, kind == EventKind.STOP);
    stopped.set(state.nodes().idOf(node), kind == EventKind.STOP);
  }

  /**
   * Records that a node is live for some time.
   *
   * @param replaces whether this replaces the time that was assured earlier; otherwise the longer
   *     time counts
   */
  private void see(String name, long hlc, long liveMicros, boolean replaces) {
    int node = state.nodes().idOf(name);
    if (node >= live.length) {
      live = Arrays.copyOf(live, Math.max(node + 1, 2 * live.length));
      agesOutAt = Arrays.copyOf(agesOutAt, live.length);
    }
    long until =
        HlcTimestamp.pack(Math.min(HlcTimestamp.MAX_MICROS, HlcTimestamp.micros(hlc) + liveMicros));
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
  void expire(long hlc) {
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
