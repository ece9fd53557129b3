// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.rql.cut.HlcRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The zone maps of blocks, grouped by the nodes in the blocks unless these are sealed, so that a
 * search for one node's stamps does not visit the blocks of others. Used by the writing thread.
 */
public final class NodeIndex {
  private static final int MIN_CAPACITY = 8;

  private final Map<String, BlockIndex> nodes = new HashMap<>();

  /** Those of all nodes together: new stamps are above theirs, so that few are ever visited. */
  private final BlockIndex sealed = new BlockIndex(MIN_CAPACITY);

  public void add(BlockZone zone) {
    if (zone.isSealed()) {
      sealed.add(zone);
      return;
    }
    zone.nodes()
        .forEach(
            part ->
                nodes.computeIfAbsent(part.node(), node -> new BlockIndex(MIN_CAPACITY)).add(zone));
  }

  /** Removes the blocks with ids up to {@code id}. */
  public void removeThrough(long id) {
    nodes.values().removeIf(own -> own.removeThrough(id) == 0);
    int unused = sealed.removeThrough(id);
  }

  /**
   * Replaces blocks by sealed ones.
   *
   * @param ids ascending
   */
  public void replace(long[] ids, List<BlockZone> sealedInstead) {
    nodes.values().removeIf(own -> own.replace(ids, List.of()) == 0);
    int unused = sealed.replace(ids, sealedInstead);
  }

  /** Whether any block may hold a stamp of the node in the range. */
  public boolean reaches(String node, HlcRange range) {
    BlockIndex own = nodes.get(node);
    return (own != null && own.snapshot().reaches(node, range))
        || sealed.snapshot().reaches(node, range);
  }

  /** The blocks that may hold a stamp of the node in the range, in order of arrival. */
  public List<BlockZone> overlapping(String node, HlcRange range) {
    BlockIndex own = nodes.get(node);
    List<BlockZone> found = sealed.snapshot().overlapping(range, zone -> zone.reaches(node, range));
    if (own != null) {
      found.addAll(own.snapshot().overlapping(range, zone -> zone.reaches(node, range)));
    }
    return found;
  }
}
