package io.retroscope.server.store;

import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The zone maps of blocks in quarantine, whose stamps are too far in the future. Owned by the
 * writing thread.
 */
final class Quarantine {
  private final TreeMap<Long, BlockZone> zones = new TreeMap<>();
  private NodeIndex byNode = new NodeIndex();
  private List<BlockZone> published = List.of();

  void add(BlockZone zone) {
    zones.put(zone.id(), zone);
    byNode.add(zone);
    published = List.of();
  }

  void remove(Collection<Long> ids) {
    if (!ids.isEmpty()) {
      zones.keySet().removeAll(ids);
      byNode = new NodeIndex();
      zones.values().forEach(byNode::add);
      published = List.of();
    }
  }

  NodeIndex byNode() {
    return byNode;
  }

  /** All zones in order of arrival; the list never changes. */
  List<BlockZone> zones() {
    if (published.size() != zones.size()) {
      published = List.copyOf(zones.values());
    }
    return published;
  }
}
