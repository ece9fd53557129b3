package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.HlcRange;
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
  private final Map<Key, Long> dirty = new HashMap<>();
  private final Set<Key> removed = new HashSet<>();

  private record Key(String node, long from) {}

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
      Key key = new Key(node, from);
      dirty.remove(key);
      removed.add(key);
    }
    Key key = new Key(node, touched.range().from());
    removed.remove(key);
    dirty.put(key, touched.range().to());
  }

  void putInto(Changes changes) {
    removed.forEach(
        key ->
            changes.delete(Database.Family.LIFETIMES, StoreKeys.lifetime(key.node(), key.from())));
    dirty.forEach(
        (key, to) ->
            changes.put(
                Database.Family.LIFETIMES,
                StoreKeys.lifetime(key.node(), key.from()),
                StoreKeys.stamp(to)));
    removed.clear();
    dirty.clear();
  }
}
