// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Changes.Heard;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.StoreSchema.LifetimeStart;
import io.retroscope.server.store.run.Lifetimes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Notes the sightings of nodes and remembers those that are not in the database yet. Used by the
 * writing thread.
 */
public final class LifetimeLog {
  private final Lifetimes lifetimes;
  private final Map<LifetimeStart, Lifetimes.Lifetime> dirty = new HashMap<>();
  private final Set<LifetimeStart> removed = new HashSet<>();

  LifetimeLog(Lifetimes lifetimes) {
    this.lifetimes = lifetimes;
  }

  /**
   * Notes the stamps of blocks, and of heartbeats, which came together. Those of lines are noted in
   * order: a promise holds from its heartbeat on, until another one replaces it.
   */
  void sighted(List<EventBlock> blocks, List<Heard> heartbeats) {
    Set<String> beating = new HashSet<>();
    heartbeats.forEach(heard -> beating.add(heard.node()));
    List<Heard> all = new ArrayList<>();
    for (EventBlock block : blocks) {
      if (block.number() > 0 || Collections.disjoint(beating, block.nodes())) {
        sighted(block);
      } else {
        for (int row = 0; row < block.size(); row++) {
          String node = block.nodes().get(block.nodeIndex(row));
          all.add(new Heard(node, block.hlc(row), Lifetimes.NOTHING_PROMISED));
        }
      }
    }
    all.addAll(heartbeats);
    all.sort(Comparator.comparingLong(Heard::hlc));
    for (Heard heard : all) {
      sighted(heard.node(), new HlcRange(heard.hlc(), heard.hlc()), heard.promiseMicros());
    }
  }

  /**
   * Notes the stamps of a block; stamps without a long silence between them are noted as one range.
   */
  void sighted(EventBlock block) {
    long promise = block.number() > 0 ? block.promiseMicros() : Lifetimes.NOTHING_PROMISED;
    int nodes = block.nodes().size();
    if (nodes == 1
        && !block.isEmpty()
        && Lifetimes.End.reaches(block.firstHlc(), Math.max(0, promise), block.lastHlc())) {
      // No two of its stamps are further apart.
      sighted(block.node(), new HlcRange(block.firstHlc(), block.lastHlc()), promise);
      return;
    }
    boolean[] isSeen = new boolean[nodes];
    long[] first = new long[nodes];
    long[] last = new long[nodes];
    for (int row = 0; row < block.size(); row++) {
      int node = block.nodeIndex(row);
      long hlc = block.hlc(row);
      if (!isSeen[node] || !Lifetimes.End.reaches(last[node], Math.max(0, promise), hlc)) {
        if (isSeen[node]) {
          sighted(block.nodes().get(node), new HlcRange(first[node], last[node]), promise);
        }
        first[node] = hlc;
        isSeen[node] = true;
      }
      last[node] = hlc;
    }
    for (int node = 0; node < nodes; node++) {
      if (isSeen[node]) {
        sighted(block.nodes().get(node), new HlcRange(first[node], last[node]), promise);
      }
    }
  }

  /** See {@link Lifetimes#touch}. */
  void sighted(String node, HlcRange range, long promiseMicros) {
    lifetimes
        .touch(node, range.from(), range.to(), promiseMicros)
        .ifPresent(touched -> note(node, touched));
  }

  private void note(String node, Lifetimes.Touched touched) {
    for (long from : touched.removed()) {
      LifetimeStart key = new LifetimeStart(node, from);
      dirty.remove(key);
      removed.add(key);
    }
    LifetimeStart key = new LifetimeStart(node, touched.lifetime().range().from());
    removed.remove(key);
    dirty.put(key, touched.lifetime());
  }

  /** Removes the ranges of a node as {@link Lifetimes#removeThrough}, with the same change. */
  void removeThrough(String node, long until, boolean keepsLast, Changes changes) {
    lifetimes
        .removeThrough(node, until, keepsLast)
        .ifPresent(
            first -> {
              dirty.keySet().removeIf(key -> key.node().equals(node) && key.hlc() < first);
              changes.deleteRange(
                  StoreSchema.LIFETIMES,
                  new LifetimeStart(node, HlcTimestamp.MIN_PACKED),
                  new LifetimeStart(node, first));
            });
  }

  /**
   * Adds the ranges that are not in the database yet; {@link #written} must follow once they are.
   */
  void putInto(Changes changes) {
    removed.forEach(start -> changes.delete(StoreSchema.LIFETIMES, start));
    dirty.forEach((start, lifetime) -> changes.put(StoreSchema.LIFETIMES, start, lifetime));
  }

  /** Forgets the ranges that {@link #putInto} added, because they are in the database. */
  void written() {
    dirty.keySet().forEach(start -> lifetimes.release(start.node()));
    removed.clear();
    dirty.clear();
  }
}
