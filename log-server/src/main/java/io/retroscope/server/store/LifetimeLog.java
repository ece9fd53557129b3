package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.StoreSchema.LifetimeStart;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Notes when nodes were heard from and remembers what of it is not in the database yet. Used by the
 * writing thread.
 */
final class LifetimeLog {
  private final Lifetimes lifetimes;
  private final Map<LifetimeStart, Long> dirty = new HashMap<>();
  private final Set<LifetimeStart> removed = new HashSet<>();

  LifetimeLog(Lifetimes lifetimes) {
    this.lifetimes = lifetimes;
  }

  /** The stamps of a block: runs without a long silence are noted as one. */
  void sighted(EventBlock block) {
    int nodes = block.nodes().size();
    long[] first = new long[nodes];
    long[] last = new long[nodes];
    boolean[] open = new boolean[nodes];
    for (int row = 0; row < block.size(); row++) {
      int node = block.nodeIndex(row);
      long hlc = block.hlc(row);
      if (open[node] && !Lifetimes.isNear(last[node], hlc)) {
        sighted(block.nodes().get(node), new HlcRange(first[node], last[node]));
        open[node] = false;
      }
      if (!open[node]) {
        first[node] = hlc;
        open[node] = true;
      }
      last[node] = hlc;
    }
    for (int node = 0; node < nodes; node++) {
      if (open[node]) {
        sighted(block.nodes().get(node), new HlcRange(first[node], last[node]));
      }
    }
  }

  void sighted(String node, HlcRange range) {
    Lifetimes.Touched touched = lifetimes.touch(node, range.from(), range.to());
    for (long from : touched.removed()) {
      LifetimeStart key = new LifetimeStart(node, from);
      dirty.remove(key);
      removed.add(key);
    }
    LifetimeStart key = new LifetimeStart(node, touched.range().from());
    removed.remove(key);
    dirty.put(key, touched.range().to());
  }

  void putInto(Changes changes) {
    removed.forEach(start -> changes.delete(StoreSchema.LIFETIMES, start));
    dirty.forEach((start, end) -> changes.put(StoreSchema.LIFETIMES, start, end));
    removed.clear();
    dirty.clear();
  }
}
