package io.retroscope.server.store;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.HlcRange;
import java.util.Set;

/**
 * Which quarantined events an operator means. Immutable.
 *
 * @param nodes of these nodes; of all where it is empty
 * @param range with stamps in this range
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
