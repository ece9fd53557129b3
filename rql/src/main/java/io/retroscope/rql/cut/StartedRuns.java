// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.ArrayList;
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
    private boolean isStopped;

    Open(RunSpan span) {
      name = span.incarnation();
      predecessor = span.predecessor();
      from = span.range().from();
      to = span.range().to();
      isStopped = span.isStopped();
    }

    void seen(long hlc, boolean isStop) {
      isStopped = hlc > to ? isStop : isStopped || (hlc == to && isStop);
      to = Math.max(to, hlc);
    }
  }

  /** The runs of a node, of which none is known yet. */
  public StartedRuns(String node) {
    this.node = node;
    inOrder = new OpenStarts(node);
  }

  /** Adds the next event of the input, a start. One that is repeated continues its run. */
  public void started(long hlc, EventBody.Start start) {
    latest =
        insertOrExtend(
            new Open(
                new RunSpan(
                    node, start.incarnation(), new HlcRange(hlc, hlc), start.predecessor())));
    ascend(EventKind.START, hlc, start.incarnation());
  }

  /** Adds the next event of the input, which is neither a start nor a heartbeat. */
  public void seen(EventKind kind, long hlc) {
    Open run = latest;
    if (run == null || run.from > hlc) {
      Map.Entry<Long, Open> floor = byStart.floorEntry(hlc);
      run = floor == null ? null : floor.getValue();
    }
    if (run != null) {
      run.seen(hlc, kind == EventKind.STOP);
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
    insertOrExtend(new Open(span));
  }

  private Open insertOrExtend(Open run) {
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
    known.seen(run.to, run.isStopped);
    if (run.from < known.from) {
      byStart.remove(known.from);
      known.from = run.from;
      byStart.put(known.from, known);
    }
    return known;
  }

  /**
   * Joins two runs, one after the other. What is between them counts to one run then, so that no
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
    HlcRange both = new HlcRange(first.from, Math.max(first.to, second.to));
    Open joined =
        new Open(new RunSpan(node, second.name, both, first.predecessor, second.isStopped));
    byStart.put(joined.from, joined);
    byName.put(joined.name, joined);
  }

  /** The runs, by their starts. */
  public List<RunSpan> spans() {
    return byStart.values().stream().map(this::span).toList();
  }

  private RunSpan span(Open run) {
    HlcRange range = new HlcRange(run.from, run.to);
    return new RunSpan(node, run.name, range, run.predecessor, run.isStopped);
  }

  /**
   * The ends of runs without a stop, before others: what they had not sent is lost. To be used for
   * a node that promises heartbeats.
   */
  public List<Incompleteness> unsent() {
    List<Incompleteness> unsent = new ArrayList<>();
    Open before = null;
    for (Open run : byStart.values()) {
      if (before != null && !before.isStopped && before.to < run.from) {
        unsent.add(new Incompleteness.Unsent(node, new HlcRange(before.to, run.from)));
      }
      before = run;
    }
    return unsent;
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
