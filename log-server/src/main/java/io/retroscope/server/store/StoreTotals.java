package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.store.BlockZone.NodeZone;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * The totals over a store.
 *
 * @param firstHlc the lowest stamp; meaningless without blocks
 * @param lastHlc the highest stamp; meaningless without blocks
 * @param fileBytes the size of its files
 * @param lastChange the number of the last change
 */
public record StoreTotals(
    long blocks,
    long events,
    long nodes,
    long firstHlc,
    long lastHlc,
    long fileBytes,
    long lastChange) {

  /** Accumulates blocks. */
  static final class Sum {
    private final TreeSet<String> nodes = new TreeSet<>();
    private long blocks;
    private long events;
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;

    void add(BlockZone zone) {
      blocks++;
      first = Math.min(first, zone.firstHlc());
      last = Math.max(last, zone.lastHlc());
      for (NodeZone node : zone.nodes()) {
        nodes.add(node.node());
        events += node.eventCount();
      }
    }

    StoreTotals totals(long fileBytes, long lastChange) {
      return new StoreTotals(blocks, events, nodes.size(), first, last, fileBytes, lastChange);
    }
  }

  /** The figures by name, in display order. */
  public Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("blocks", blocks);
    fields.put("events", events);
    fields.put("nodes", nodes);
    if (blocks > 0) {
      fields.put("firstHlc", HlcTimestamp.text(firstHlc));
      fields.put("lastHlc", HlcTimestamp.text(lastHlc));
    }
    fields.put("fileBytes", fileBytes);
    fields.put("lastChange", lastChange);
    return fields;
  }

  /** The figures, one line each. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    fields().forEach((name, value) -> lines.add(name + ": " + value));
    return lines;
  }
}
