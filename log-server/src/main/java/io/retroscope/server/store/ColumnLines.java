// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Submission.LineBlock;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The storing of lines as the columns that they were read into, without an object for each event.
 * Used by the writing thread, once.
 */
final class ColumnLines {
  private final StoreState state;
  private final Changes changes;
  private final RunOf runOf;
  private int eventCount;

  /** Finds the run of an event without an incarnation. */
  interface RunOf {
    Incarnation of(String node, long hlc);
  }

  ColumnLines(StoreState state, Changes changes, RunOf runOf) {
    this.state = state;
    this.changes = changes;
    this.runOf = runOf;
  }

  /** The number of events that were stored. */
  int eventCount() {
    return eventCount;
  }

  /**
   * Stores blocks if that needs no look at single events.
   *
   * @param latest packed; no later stamp is accepted
   * @return false if one is later, may be stored already, or if they are too large for a block;
   *     nothing has changed then
   */
  boolean store(List<LineBlock> blocks, long latest) {
    if (blocks.isEmpty()) {
      return true;
    }
    if (blocks.get(blocks.size() - 1).rows().lastHlc() > latest || mayBeKnown(blocks, latest)) {
      return false;
    }
    List<byte[]> encoded = new ArrayList<>();
    try {
      blocks.forEach(block -> encoded.add(EventBlockCodec.encode(block.rows())));
    } catch (IllegalArgumentException | IllegalStateException e) {
      return false; // Fewer of them may fit.
    }
    for (int i = 0; i < blocks.size(); i++) {
      EventBlock rows = blocks.get(i).rows();
      changes.addBlock(state.nextBlockId(), rows, encoded.get(i));
      eventCount += rows.size();
    }
    blocks.forEach(block -> noteStamps(block.rows()));
    blocks.forEach(block -> noteSequences(block.rows()));
    return true;
  }

  private boolean mayBeKnown(List<LineBlock> blocks, long latest) {
    Map<String, HlcRange> ranges = new HashMap<>();
    for (LineBlock block : blocks) {
      EventBlock rows = block.rows();
      long[] first = new long[rows.nodes().size()];
      long[] last = new long[first.length];
      for (int row = rows.size() - 1; row >= 0; row--) {
        int node = rows.nodeIndex(row);
        first[node] = rows.hlc(row);
      }
      for (int row = 0; row < rows.size(); row++) {
        last[rows.nodeIndex(row)] = rows.hlc(row);
      }
      for (int node = 0; node < first.length; node++) {
        ranges.merge(
            rows.nodes().get(node),
            new HlcRange(first[node], last[node]),
            (a, b) -> new HlcRange(a.from(), b.to()));
      }
    }
    KnownBlocks known = new KnownBlocks(state, changes, latest + 1);
    return ranges.entrySet().stream()
        .anyMatch(range -> known.reach(range.getKey(), range.getValue()));
  }

  private void noteStamps(EventBlock rows) {
    @Nullable Incarnation[] only = onlyRuns(rows);
    long[] last = new long[only.length];
    for (int row = 0; row < rows.size(); row++) {
      int node = rows.nodeIndex(row);
      long hlc = rows.hlc(row);
      Incarnation run = only[node];
      if (run == null) {
        run = runOf.of(rows.nodes().get(node), hlc);
        run.promiseOfLine(hlc);
      }
      last[node] = hlc;
      run.seen(hlc, hlc);
      if (rows.kind(row) == EventKind.START) {
        run.started(hlc, (EventBody.Start) rows.body(row));
      } else if (rows.kind(row) == EventKind.STOP) {
        run.stopped(hlc, 0);
      }
    }
    for (int node = 0; node < only.length; node++) {
      Incarnation run = only[node];
      if (run != null) {
        run.promiseOfLine(last[node]); // The highest is the one that counts.
      }
    }
  }

  private void noteSequences(EventBlock rows) {
    @Nullable Incarnation[] only = onlyRuns(rows);
    for (int row = 0; row < rows.size(); row++) {
      int node = rows.nodeIndex(row);
      Incarnation run = only[node];
      if (run == null) {
        run = runOf.of(rows.nodes().get(node), rows.hlc(row));
      }
      run.numbered(rows.sequence(row), rows.hlc(row));
    }
  }

  /** The run of each node of which no other run is known; null for other nodes. */
  private @Nullable Incarnation[] onlyRuns(EventBlock rows) {
    @Nullable Incarnation[] runs = new Incarnation[rows.nodes().size()];
    for (int node = 0; node < runs.length; node++) {
      String name = rows.nodes().get(node);
      boolean isOnly =
          state.appliedRuns().of(name).stream().allMatch(run -> run.name().incarnation().isEmpty());
      runs[node] = isOnly ? runOf.of(name, HlcTimestamp.MIN_PACKED) : null;
    }
    return runs;
  }
}
