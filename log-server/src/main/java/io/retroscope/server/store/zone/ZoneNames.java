// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.server.store.zone.BlockZone.LogZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names in zone maps, deduplicated because there are many zones and few names. Used by one
 * thread.
 */
public final class ZoneNames {
  /**
   * Above this count the known names are dropped, so that a store of ever new names stays small.
   */
  private static final int MAX_NAMES = 100_000;

  private final Map<String, String> names = new HashMap<>();
  private final Map<List<String>, List<String>> lists = new HashMap<>();
  private final Map<SealedParts.Shape, SealedParts.Shape> shapes = new HashMap<>();

  /** An equal zone that shares its names with earlier ones where possible. */
  public BlockZone shared(BlockZone zone) {
    if (names.size() + lists.size() + shapes.size() > MAX_NAMES) {
      names.clear();
      lists.clear();
      shapes.clear();
    }
    if (zone.nodes() instanceof SealedParts parts) {
      SealedParts.Shape shape = shapes.computeIfAbsent(parts.shape(), first -> first);
      return new BlockZone(zone.id(), zone.firstHlc(), zone.lastHlc(), parts.sharing(shape));
    }
    List<NodeZone> nodes = new ArrayList<>(zone.nodes().size());
    for (NodeZone node : zone.nodes()) {
      nodes.add(shared(node));
    }
    return new BlockZone(zone.id(), zone.firstHlc(), zone.lastHlc(), nodes);
  }

  public NodeZone shared(NodeZone node) {
    List<LogZone> logs = new ArrayList<>(node.logs().size());
    for (LogZone log : node.logs()) {
      logs.add(shared(log));
    }
    return new NodeZone(
        shared(node.node()),
        node.eventCount(),
        node.firstHlc(),
        node.lastHlc(),
        node.lifecycle(),
        node.marked(),
        logs);
  }

  public LogZone shared(LogZone log) {
    return new LogZone(
        shared(log.log()), log.eventCount(), shared(log.variables()), shared(log.written()));
  }

  public String shared(String name) {
    return names.computeIfAbsent(name, first -> first);
  }

  public List<String> shared(List<String> texts) {
    List<String> known = lists.get(texts);
    if (known == null) {
      known = texts.stream().map(this::shared).toList();
      lists.put(known, known);
    }
    return known;
  }
}
