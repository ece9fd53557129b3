// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The nodes whose events are missing in the cuts of a walk: of those that the watermark leaves out,
 * the ones that the query names or uses values of, from the stamp on up to which their events are
 * known. Used by one thread.
 */
public final class MissingNodes {
  private static final SortedSet<String> NONE = Collections.emptySortedSet();

  private final BoundPlan plan;
  private final @Nullable LiveNodes liveNodes;
  private final ValuedNodes valued;
  private final SortedSet<String> ever = new TreeSet<>(NaturalOrder.INSTANCE);
  private NavigableMap<String, Long> silent = new TreeMap<>();

  /** The highest stamp up to which the events of a silent node are known. */
  private long lastKnown;

  /** The silent nodes that count, while neither the silent nodes nor those with values change. */
  private SortedSet<String> counting = NONE;

  private Set<String> countedOf = Set.of();

  /**
   * Creates a set without nodes.
   *
   * @param liveNodes the nodes of AT LIVE NODES; null in other queries
   */
  public MissingNodes(BoundPlan plan, @Nullable LiveNodes liveNodes) {
    this.plan = plan;
    this.liveNodes = liveNodes;
    this.valued = new ValuedNodes(plan);
  }

  /** Sets the nodes that the watermark leaves out, with the stamps up to which they are known. */
  public void setSilent(NavigableMap<String, Long> nodes) {
    if (!nodes.equals(silent)) {
      silent = nodes;
      lastKnown = nodes.values().stream().mapToLong(Long::longValue).max().orElse(0);
      counting = count(valued.now());
    }
  }

  /** The nodes that are missing in the present cut. */
  public SortedSet<String> now() {
    return now(plan.state().hlc());
  }

  /**
   * The nodes that were missing in a cut after which nothing changed but time.
   *
   * @param hlc packed, the stamp of the cut
   */
  public SortedSet<String> now(long hlc) {
    SortedSet<String> missing = liveNodes == null ? silentAt(hlc) : liveNodes.silent();
    if (!plan.output().keepsState()) {
      return missing;
    }
    ever.addAll(missing);
    return new TreeSet<>(ever);
  }

  /** Of some silent nodes, those that the query names or uses values of. */
  public NavigableMap<String, Long> counting(NavigableMap<String, Long> nodes) {
    NavigableMap<String, Long> counted = new TreeMap<>(NaturalOrder.INSTANCE);
    Set<String> withValues = valued.now();
    nodes.forEach(
        (node, since) -> {
          if (isCounted(node, withValues)) {
            counted.put(node, since);
          }
        });
    return counted;
  }

  private boolean isCounted(String node, Set<String> withValues) {
    return withValues.contains(node) || plan.input().onlyNodes().contains(node);
  }

  private SortedSet<String> silentAt(long hlc) {
    if (silent.isEmpty()) {
      return NONE;
    }
    Set<String> now = valued.now();
    if (now != countedOf) {
      counting = count(now);
    }
    return hlc > lastKnown
        ? counting
        : counting.stream()
            .filter(node -> silent.getOrDefault(node, hlc) < hlc)
            .collect(Collectors.toCollection(() -> new TreeSet<>(NaturalOrder.INSTANCE)));
  }

  private SortedSet<String> count(Set<String> withValues) {
    countedOf = withValues;
    SortedSet<String> nodes = new TreeSet<>(NaturalOrder.INSTANCE);
    for (String node : silent.keySet()) {
      if (isCounted(node, withValues)) {
        nodes.add(node);
      }
    }
    return nodes;
  }
}
