// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The runs of one node whose events do not name them, as the order of its events in an input shows:
 * an event belongs to the start before it in the input, unless its stamp is below that start. Used
 * by one thread.
 */
public final class StartedRuns {
  /** The maximum number of runs; beyond it old ones are joined. */
  static final int MAX_RUNS = 1_000;

  private final String node;
  private final TreeMap<Long, Open> byStart = new TreeMap<>();
  private final Map<String, Open> byName = new HashMap<>();
  private final OpenStarts inOrder;
  private boolean isAscending = true;
  private long lastHlc = HlcTimestamp.MIN_PACKED;
  private @Nullable Open latest;

  /** A run with its last stamp so far. */
  private static final class Open {
    private final String name;
    private final String predecessor;
    private long from;
    private long to;

    Open(String name, String predecessor, long from, long to) {
      this.name = name;
      this.predecessor = predecessor;
      this.from = from;
      this.to = to;
    }
  }

  /** The runs of a node, of which none is known yet. */
  public StartedRuns(String node) {
    this.node = node;
    inOrder = new OpenStarts(node);
  }

  /** Adds the next event of the input, a start. One that is repeated continues its run. */
  public void started(long hlc, EventBody.Start start) {
    latest = add(new Open(start.incarnation(), start.predecessor(), hlc, hlc));
    ascend(EventKind.START, hlc, start.incarnation());
  }

  /** Adds the next event of the input, which is neither a start nor a heartbeat. */
  public void seen(EventKind kind, long hlc) {
    Open run = latest;
    if (run == null || run.from > hlc) {
      Map.Entry<Long, Open> floor = byStart.floorEntry(hlc);
      run = floor == null ? null : floor.getValue();
    }
    if (run != null && hlc > run.to) {
      run.to = hlc;
    }
    ascend(kind, hlc, "");
  }

  private void ascend(EventKind kind, long hlc, String started) {
    isAscending &= hlc >= lastHlc;
    lastHlc = hlc;
    if (isAscending) {
      inOrder.add(kind, hlc, started);
    }
  }

  /** Adds what another input shows. */
  public void add(RunSpan span) {
    add(new Open(span.incarnation(), span.predecessor(), span.range().from(), span.range().to()));
  }

  private Open add(Open run) {
    Open known = byStart.get(run.from);
    if (known == null) {
      known = run.name.isEmpty() ? null : byName.get(run.name);
    }
    return known == null ? insert(run) : extend(known, run);
  }

  private Open insert(Open run) {
    byStart.put(run.from, run);
    byName.put(run.name, run);
    if (byStart.size() > MAX_RUNS) {
      joinOldest();
    }
    return run;
  }

  private Open extend(Open known, Open run) {
    known.to = Math.max(known.to, run.to);
    if (run.from < known.from) {
      byStart.remove(known.from);
      known.from = run.from;
      byStart.put(known.from, known);
    }
    return known;
  }

  /**
   * Joins two runs, one after the other. What lies between them counts to one run then, so that no
   * overlap is overlooked.
   */
  private void joinOldest() {
    Open first = byStart.firstEntry().getValue();
    Open second = first;
    for (Open next : byStart.tailMap(first.from, false).values()) {
      first = second;
      second = next;
      if (second.from > first.to) {
        break;
      }
    }
    byStart.keySet().removeAll(List.of(first.from, second.from));
    byName.values().removeAll(List.of(first, second));
    Open joined =
        new Open(second.name, first.predecessor, first.from, Math.max(first.to, second.to));
    byStart.put(joined.from, joined);
    byName.put(joined.name, joined);
  }

  /** The runs, by their starts. */
  public Collection<RunSpan> spans() {
    return byStart.values().stream()
        .map(run -> new RunSpan(node, run.name, new HlcRange(run.from, run.to), run.predecessor))
        .toList();
  }

  /** The ranges in which two of the runs assigned stamps. */
  public List<Overlap> overlaps() {
    return RunSpan.overlaps(spans());
  }

  /**
   * The ranges in which the stops of an input that is sorted by stamps show that two runs overlap:
   * it does not show which.
   */
  public List<Overlap> sortedOverlaps() {
    return isAscending ? inOrder.overlaps() : List.of();
  }
}
