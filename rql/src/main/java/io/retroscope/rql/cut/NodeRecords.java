// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource.Sighting;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The nodes of a view, and when each was seen. Used by one thread. */
public interface NodeRecords {
  /** All nodes that have ever sent an event or a heartbeat, in natural order. */
  List<NodeDescription> nodes();

  /**
   * The first sighting of each node, heartbeats included, ordered by stamp. Views may return the
   * same list until it changes.
   */
  default List<Sighting> arrivals() {
    return nodes().stream()
        .map(node -> new Sighting(node.name(), node.firstHlc(), 0))
        .sorted(Comparator.comparingLong(Sighting::hlc))
        .toList();
  }

  /**
   * Returns the stamps at which each node was seen, heartbeats included, ordered by stamp.
   * Sightings within the time that an earlier one assures may be omitted.
   */
  Iterator<Sighting> sightings(HlcRange range);

  /** The ranges in which each node was seen; by default computed from all sightings. */
  default Collection<Presence> presences() {
    return Presences.of(sightings(HlcRange.ALL));
  }

  /** The ranges in which one node was seen; empty if it never was. */
  default Optional<Presence> presence(String node) {
    return presences().stream().filter(presence -> presence.node().equals(node)).findFirst();
  }

  /**
   * The time for which each node whose clock is ahead of the server's delays live rows, in
   * microseconds; without other nodes.
   */
  default Map<String, Long> heldMicros() {
    return Map.of();
  }
}
