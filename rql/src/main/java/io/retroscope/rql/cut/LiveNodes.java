package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Which nodes were heard from within the idle timeout before a cut, for AT LIVE NODES. Used by one
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

  /** Hides the values of a node once nothing was heard from it for so long. */
  public LiveNodes(CutState state, long idleTimeoutMicros) {
    this.state = state;
    this.idleTimeoutMicros = idleTimeoutMicros;
  }

  /** Whether the node with this id was heard from lately. */
  public boolean isLive(int node) {
    return node < live.length && live[node];
  }

  /** The nodes left out of the cut, in natural order. */
  public SortedSet<String> silent() {
    SortedSet<String> names = new TreeSet<>(NaturalOrder.INSTANCE);
    for (int node = 0; node < state.nodes().size(); node++) {
      if (!isLive(node)) {
        names.add(state.nodes().name(node));
      }
    }
    return names;
  }

  /** The stamps before another one that matter there: a node last heard from earlier is silent. */
  HlcRange before(long hlc) {
    long micros = HlcTimestamp.micros(hlc) - idleTimeoutMicros;
    return new HlcRange(HlcTimestamp.pack(Math.max(0, micros)), hlc - 1);
  }

  /** A node that is heard from this often never ages out in between. */
  long resolutionMicros() {
    return idleTimeoutMicros / 2;
  }

  /** Packed stamp at which the next node may age out. */
  long next() {
    return deadlines.isEmpty() ? CutTimers.NEVER : deadlines.peek().hlc();
  }

  void see(String name, long hlc) {
    int node = state.nodes().idOf(name);
    if (node >= live.length) {
      live = Arrays.copyOf(live, Math.max(node + 1, 2 * live.length));
      agesOutAt = Arrays.copyOf(agesOutAt, live.length);
    }
    agesOutAt[node] =
        HlcTimestamp.pack(
            Math.min(HlcTimestamp.MAX_MICROS, HlcTimestamp.micros(hlc) + idleTimeoutMicros));
    if (!live[node]) {
      live[node] = true;
      deadlines.add(new Deadline(agesOutAt[node], node));
      state.setVisible(node, true);
    }
  }

  /** Ages nodes out whose time has come; a node that was heard from since gets its new deadline. */
  void expire(long hlc) {
    while (!deadlines.isEmpty() && deadlines.peek().hlc() <= hlc) {
      int node = deadlines.remove().node();
      if (agesOutAt[node] > hlc) {
        deadlines.add(new Deadline(agesOutAt[node], node));
      } else {
        live[node] = false;
        state.setVisible(node, false);
      }
    }
  }
}
