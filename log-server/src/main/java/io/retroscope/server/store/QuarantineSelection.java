// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.zone.BlockZone;
import java.util.Set;

/**
 * A selection of quarantined events by an operator. Immutable.
 *
 * @param nodes the nodes of the events; empty for all nodes
 * @param range the range of the events' stamps
 */
public record QuarantineSelection(Set<String> nodes, HlcRange range) {
  /** Copies the nodes. */
  public QuarantineSelection {
    nodes = Set.copyOf(nodes);
  }

  boolean has(Event event) {
    return range.contains(event.hlc()) && (nodes.isEmpty() || nodes.contains(event.node()));
  }

  boolean reaches(BlockZone zone) {
    return zone.overlaps(range)
        && (nodes.isEmpty() || nodes.stream().anyMatch(node -> zone.reaches(node, range)));
  }
}
