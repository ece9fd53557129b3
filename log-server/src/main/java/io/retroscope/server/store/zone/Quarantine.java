// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * The zone maps of blocks in quarantine, whose stamps are too far in the future. Owned by the
 * writing thread.
 */
public final class Quarantine {
  private final TreeMap<Long, Zone> zones = new TreeMap<>();
  private NodeIndex byNode = new NodeIndex();
  private List<Zone> published = List.of();

  /**
   * A block.
   *
   * @param arrivedHlc packed, the server's clock when it arrived; {@code EventBlock.NO_HEARTBEAT}
   *     if an earlier program has stored it
   */
  public record Zone(BlockZone block, long arrivedHlc) {}

  public void add(Zone zone) {
    zones.put(zone.block().id(), zone);
    byNode.add(zone.block());
    published = List.of();
  }

  public void remove(Collection<Long> ids) {
    if (!ids.isEmpty()) {
      zones.keySet().removeAll(ids);
      byNode = new NodeIndex();
      zones.values().forEach(zone -> byNode.add(zone.block()));
      published = List.of();
    }
  }

  public NodeIndex byNode() {
    return byNode;
  }

  /** All zones in order of arrival; the list never changes. */
  public List<Zone> zones() {
    if (published.size() != zones.size()) {
      published = List.copyOf(zones.values());
    }
    return published;
  }
}
