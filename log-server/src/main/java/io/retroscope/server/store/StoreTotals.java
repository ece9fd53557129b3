// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import io.retroscope.server.store.zone.SealedParts;
import io.retroscope.server.store.zone.SummaryCodec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
    private final TreeMap<String, long[]> sealed = new TreeMap<>();
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

    /** Counts a sealed block, its events and its bytes for its log as well. */
    void addSealed(SummaryCodec.Summary summary) {
      String log = ((SealedParts) summary.zone().nodes()).shape().log();
      long[] sums = sealed.computeIfAbsent(log, first -> new long[3]);
      sums[0]++;
      sums[1] += summary.zone().eventCount();
      sums[2] += summary.blockBytes();
    }

    /** One line for each log with sealed blocks; starts and stops are in the log without a name. */
    List<String> sealedLines() {
      List<String> lines = new ArrayList<>();
      sealed.forEach(
          (log, sums) ->
              lines.add(
                  "sealed %s: %d blocks, %d events, %d bytes"
                      .formatted(
                          log.isEmpty() ? "starts and stops" : "log \"" + log + "\"",
                          sums[0],
                          sums[1],
                          sums[2])));
      return lines;
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
