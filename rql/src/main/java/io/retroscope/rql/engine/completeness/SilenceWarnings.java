// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Presence.Stay;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.presence.SilentNode;
import io.retroscope.rql.cut.presence.SilentNodes;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The warning of a query about nodes that fell silent without recording a stop, although it still
 * uses their last values: they may have crashed. Used by one thread.
 */
public final class SilenceWarnings implements SilentNodes.Listener {
  /*
   * A node that is silent at the end of the range is named, wherever its silence began. A pause
   * from which a node returned is named only if the cut of a row is within it. Whether the query
   * uses values of the node follows from the state of the walk: after a stop, none are left.
   *
   * The walk reports at each cut which nodes are silent. They are named when it has reached the end
   * of its range; in a STREAM at most four times per second of stamps, with all that fell silent
   * meanwhile.
   */
  static final int MAX_NAMED = 5;

  /** The maximum number of warnings of a STREAM, whose answer has no end. */
  private static final int MAX_WARNINGS = 20;

  /** The maximum number of finished pauses that are considered. */
  private static final int MAX_PAUSES = 100_000;

  private static final long RECHECK_MICROS = 250_000;

  private final RowSink sink;
  private final BoundPlan plan;
  private final SilenceLimits limits;
  private final SilentNodes nodes;

  /** Whether the query uses the last value of a node in the state that the walk has reached. */
  private Predicate<String> usesValuesOf;

  private final boolean isActive;

  /** The finished pauses by their first stamp, for each node that is not named yet. */
  private final Map<String, NavigableMap<Long, Long>> pauses = new TreeMap<>();

  private final SortedMap<String, String> news = new TreeMap<>(NaturalOrder.INSTANCE);

  /** The nodes that were named as silent and have not returned. */
  private final Set<String> named = new HashSet<>();

  private long changes;

  private boolean begun;
  private long dueHlc = HlcTimestamp.MIN_PACKED;
  private int warnings;

  /**
   * Creates the warnings of a walk that has not begun.
   *
   * @param plan of the walk, of which the state shows the values that the query uses
   * @param limits how long a node may send nothing
   */
  SilenceWarnings(BoundPlan plan, SilenceLimits limits, RowSink sink) {
    this.plan = plan;
    this.limits = limits;
    this.nodes = new SilentNodes(limits, plan.state()::counts);
    this.sink = sink;
    this.usesValuesOf = new ValuedNodes(plan)::has;
    this.isActive = !plan.input().liveNodes();
  }

  /** Sets the nodes of which the query uses values, if another walk has reached the state. */
  public void setValued(Set<String> nodes) {
    usesValuesOf = nodes::contains;
  }

  /** Finds the pauses of history, before its rows. Later calls do nothing. */
  void begin(View view, HlcRange range) {
    if (begun || !isActive) {
      return;
    }
    begun = true;
    int count = 0;
    for (Presence presence : view.presences()) {
      count += count < MAX_PAUSES ? findPauses(presence, range) : 0;
    }
  }

  /** Adds the pauses of a node that promises heartbeats; those of others are not distinguished. */
  private int findPauses(Presence presence, HlcRange range) {
    Optional<Stay> before = presence.latest(range.from());
    boolean promises = presence.latest(range.to()).map(Stay::assuredMicros).orElse(0L) > 0;
    NavigableMap<Long, Long> own = new TreeMap<>();
    Iterator<Stay> stays =
        promises
            ? presence.from(before.map(Stay::from).orElse(range.from()))
            : Collections.emptyIterator();
    Stay last = null;
    while (stays.hasNext() && own.size() < MAX_PAUSES) {
      Stay next = stays.next();
      if (next.from() > range.to()) {
        break;
      }
      if (last != null && micros(last.to(), next.from()) > limits.promised(last.assuredMicros())) {
        own.put(last.to(), next.from());
      }
      last = next;
    }
    if (!own.isEmpty()) {
      pauses.put(presence.node(), own);
    }
    return own.size();
  }

  /** Notes that a row has its cut at a stamp, which the walk's state still shows. */
  public void row(long hlc) {
    if (!pauses.isEmpty()) {
      pauses.entrySet().removeIf(entry -> isInPause(entry.getKey(), entry.getValue(), hlc));
    }
  }

  private boolean isInPause(String node, NavigableMap<Long, Long> own, long hlc) {
    Map.Entry<Long, Long> pause = own.lowerEntry(hlc);
    boolean inside = pause != null && hlc < pause.getValue() && usesValuesOf.test(node);
    if (inside) {
      news.put(
          node,
          "%s silent from %s to %s"
              .formatted(node, new HlcTimestamp(pause.getKey()), stamp(pause.getValue())));
    }
    return inside;
  }

  /** The silent nodes, which the walk moves from cut to cut, or this object at its end. */
  public SilentNodes nodes() {
    return nodes;
  }

  /** How often the silent nodes have changed. */
  public long changes() {
    return changes;
  }

  /** Moves the silent nodes to a stamp, if no walk has. */
  public void moveTo(View view, long hlc) {
    nodes.continueIn(view);
    nodes.advance(hlc, this);
  }

  /** Moves the silent nodes to a cut of the same view. */
  public void moveTo(long hlc) {
    nodes.advance(hlc, this);
  }

  /** Notes that the silent nodes have changed: one that returns may be named again. */
  @Override
  public void silent(long hlc, List<SilentNode> now) {
    changes++;
    named.retainAll(now.stream().map(SilentNode::node).collect(Collectors.toSet()));
  }

  /**
   * Names the nodes that are silent at a stamp that the walk has reached; a STREAM warns at once.
   *
   * @param view holds every event up to the stamp
   */
  void reached(View view, long hlc) {
    moveTo(view, hlc);
    if (isActive && (hlc >= dueHlc || !news.isEmpty())) {
      nodes.now().forEach(this::name);
      dueHlc = HlcTimestamp.pack(HlcTimestamp.micros(hlc) + RECHECK_MICROS);
      if (plan.slice().live()) {
        send();
      }
    }
  }

  private void name(SilentNode node) {
    if (usesValuesOf.test(node.node()) && named.add(node.node())) {
      news.put(node.node(), "%s silent since %s".formatted(node.node(), stamp(node.sinceHlc())));
    }
  }

  /** Sends the warning of a past query, whose last rows follow the end of its walk. */
  void close() {
    send();
  }

  /** Whether the query leaves silent nodes out, or the silent node was named. */
  public boolean covers(Incompleteness reason) {
    return reason instanceof Incompleteness.Silent silent
        && (!isActive || named.contains(silent.node()));
  }

  private static long micros(long from, long to) {
    return HlcTimestamp.micros(to) - HlcTimestamp.micros(from);
  }

  private void send() {
    if (news.isEmpty() || warnings >= MAX_WARNINGS) {
      news.clear();
      return;
    }
    warnings++;
    String named = news.values().stream().limit(MAX_NAMED).collect(Collectors.joining(", "));
    int more = news.size() - MAX_NAMED;
    boolean one = news.size() == 1;
    sink.warning(
        "%s%s; %s last values still count; AT LIVE NODES leaves %s out"
            .formatted(
                named,
                more > 0 ? " and %d more".formatted(more) : "",
                one ? "its" : "their",
                one ? "it" : "them"));
    news.clear();
  }

  private static HlcTimestamp stamp(long hlc) {
    return new HlcTimestamp(hlc);
  }
}
