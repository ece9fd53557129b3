package io.retroscope.server.store;

import io.retroscope.rql.cut.HlcRange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The zone maps of blocks, grouped by the nodes in the blocks, so that a search for one node's
 * stamps does not visit the blocks of others. Used by the writing thread.
 */
final class NodeIndex {
  private static final int MIN_CAPACITY = 8;

  private final Map<String, BlockIndex> nodes = new HashMap<>();

  void add(BlockZone zone) {
    zone.nodes()
        .forEach(
            part ->
                nodes.computeIfAbsent(part.node(), node -> new BlockIndex(MIN_CAPACITY)).add(zone));
  }

  /** Removes the blocks with ids up to {@code id}. */
  void removeThrough(long id) {
    nodes.values().removeIf(own -> own.removeThrough(id) == 0);
  }

  /** The blocks that may hold a stamp of the node in the range, in order of arrival. */
  List<BlockZone> overlapping(String node, HlcRange range) {
    BlockIndex own = nodes.get(node);
    return own == null
        ? List.of()
        : own.snapshot().overlapping(range, zone -> zone.reaches(node, range));
  }
}
