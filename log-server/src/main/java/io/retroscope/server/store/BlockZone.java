package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * What a stored block holds, so that a scan knows whether to read it: its zone map. Immutable.
 *
 * @param id the block's key, in order of arrival
 * @param firstHlc packed, the lowest stamp inside
 * @param lastHlc packed, the highest stamp inside
 * @param lifecycle whether starts or stops are inside, which every scan wants
 */
record BlockZone(
    long id,
    long firstHlc,
    long lastHlc,
    boolean lifecycle,
    List<NodeZone> nodes,
    List<LogZone> logs) {

  /** One node's part of a block. */
  record NodeZone(String node, long eventCount, long firstHlc, long lastHlc) {}

  /**
   * One log's part of a block.
   *
   * @param variables the names that a query may use, ordered
   */
  record LogZone(String log, long eventCount, List<String> variables) {}

  BlockZone {
    nodes = List.copyOf(nodes);
    logs = List.copyOf(logs);
  }

  /** Reads a block once. The block holds at least one event. */
  static BlockZone of(long id, EventBlock block) {
    return new Survey(block).zone(id);
  }

  boolean overlaps(HlcRange range) {
    return range.overlaps(new HlcRange(firstHlc, lastHlc));
  }

  boolean holdsAnyOf(Set<String> wanted) {
    return lifecycle || logs.stream().anyMatch(zone -> wanted.contains(zone.log()));
  }

  boolean holdsNode(Collection<String> wanted) {
    return nodes.stream().anyMatch(zone -> wanted.contains(zone.node()));
  }

  /** Counts through the rows of one block. */
  private static final class Survey {
    private final EventBlock block;
    private final long[] nodeCounts;
    private final long[] nodeFirst;
    private final long[] nodeLast;
    private final long[] logCounts;
    private final List<Set<String>> logVariables = new ArrayList<>();
    private boolean lifecycle;

    Survey(EventBlock block) {
      this.block = block;
      nodeCounts = new long[block.nodes().size()];
      nodeFirst = new long[block.nodes().size()];
      nodeLast = new long[block.nodes().size()];
      logCounts = new long[block.logs().size()];
      block.logs().forEach(log -> logVariables.add(new TreeSet<>()));
      for (int row = 0; row < block.size(); row++) {
        countNode(block.nodeIndex(row), block.hlc(row));
        countLog(row);
      }
    }

    private void countNode(int node, long hlc) {
      if (nodeCounts[node]++ == 0) {
        nodeFirst[node] = hlc;
      }
      nodeLast[node] = hlc;
    }

    private void countLog(int row) {
      EventKind kind = block.kind(row);
      if (kind == EventKind.START || kind == EventKind.STOP) {
        lifecycle = true;
        return;
      }
      if (kind == EventKind.HEARTBEAT) {
        return;
      }
      int log = block.logIndex(row);
      logCounts[log]++;
      Set<String> variables = logVariables.get(log);
      switch (kind) {
        case SEND -> variables.add(MomentaryVariables.SEND);
        case RECEIVE -> variables.add(MomentaryVariables.RECEIVE);
        case LOG_LINE -> {
          variables.add(MomentaryVariables.MESSAGE);
          addNames(row, variables, MomentaryVariables::isVariable);
        }
        default -> addNames(row, variables, name -> true);
      }
    }

    private void addNames(int row, Set<String> variables, Predicate<String> wanted) {
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        if (block.nameIndex(change) != EventBlock.NO_NAME) {
          String name = block.variables().get(block.nameIndex(change));
          if (wanted.test(name)) {
            variables.add(name);
          }
        }
      }
    }

    BlockZone zone(long id) {
      List<NodeZone> nodes = new ArrayList<>();
      for (int i = 0; i < nodeCounts.length; i++) {
        if (nodeCounts[i] > 0) {
          nodes.add(new NodeZone(block.nodes().get(i), nodeCounts[i], nodeFirst[i], nodeLast[i]));
        }
      }
      Map<String, LogZone> logs = new TreeMap<>();
      for (int i = 0; i < logCounts.length; i++) {
        if (logCounts[i] > 0) {
          String log = block.logs().get(i);
          logs.put(log, new LogZone(log, logCounts[i], List.copyOf(logVariables.get(i))));
        }
      }
      return new BlockZone(
          id, block.firstHlc(), block.lastHlc(), lifecycle, nodes, new ArrayList<>(logs.values()));
    }
  }
}
