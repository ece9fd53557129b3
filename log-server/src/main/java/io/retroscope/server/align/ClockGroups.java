// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes in groups, within each of which messages bound all offsets from both sides or, of nodes
 * of which nothing else is known, from one. A group without the reference node has the highest of
 * its clocks as its own reference. Immutable.
 */
final class ClockGroups {
  /** The most groups that are looked for, because each takes the solution of all bounds. */
  private static final int MAX_GROUPS = 64;

  private final Group main;
  private final Map<Integer, Group> others = new HashMap<>();

  /**
   * A group.
   *
   * @param reference the index of its reference node
   * @param offsets from that node's clock
   */
  record Group(int reference, NodeOffsets offsets) {}

  private ClockGroups(Group main) {
    this.main = main;
  }

  /**
   * Finds the groups.
   *
   * @param offsets from the reference node's clock
   */
  static ClockGroups of(
      ClockAlignment alignment, List<NodeClock> clocks, int reference, NodeOffsets offsets) {
    ClockGroups groups = new ClockGroups(new Group(reference, offsets));
    List<NodeClock> left = new ArrayList<>(clocks);
    left.removeIf(
        clock ->
            clock.index() == reference
                || offsets.isBounded(clock.index())
                || clock.lastSeenMicros() == Double.NEGATIVE_INFINITY);
    groups.addAll(alignment, List.copyOf(left), NodeOffsets::isBounded);
    // Messages in one direction are better than nothing.
    left.removeIf(
        clock ->
            groups.others.containsKey(clock.index()) || offsets.isPartlyBounded(clock.index()));
    groups.addAll(alignment, left, NodeOffsets::isPartlyBounded);
    return groups;
  }

  /** Whether a node is linked to the reference node of some offsets. */
  private interface Link {
    boolean exists(NodeOffsets offsets, int node);
  }

  private void addAll(ClockAlignment alignment, List<NodeClock> clocks, Link link) {
    List<NodeClock> left = new ArrayList<>(clocks);
    for (int i = 0; i < MAX_GROUPS && left.size() > 1; i++) {
      add(alignment, left, link);
    }
  }

  /** Adds the group of the first node that is left, if it is not alone. */
  private void add(ClockAlignment alignment, List<NodeClock> left, Link link) {
    NodeClock first = left.remove(0);
    NodeOffsets around = alignment.offsetsAt(first.index(), first.lastSeenMicros());
    List<NodeClock> members = new ArrayList<>();
    NodeClock highest = first;
    double newestMicros = first.lastSeenMicros();
    for (NodeClock clock : left) {
      if (link.exists(around, clock.index())) {
        members.add(clock);
        newestMicros = Math.max(newestMicros, clock.lastSeenMicros());
        boolean isHigher =
            around.estimateMicros(clock.index())
                < (highest.equals(first) ? 0 : around.estimateMicros(highest.index()));
        highest = isHigher ? clock : highest;
      }
    }
    if (members.isEmpty()) {
      return;
    }
    left.removeAll(members);
    members.add(first);
    Group group = new Group(highest.index(), alignment.offsetsAt(highest.index(), newestMicros));
    members.forEach(clock -> others.put(clock.index(), group));
  }

  /** The group of a node. */
  Group of(int node) {
    return others.getOrDefault(node, main);
  }
}
