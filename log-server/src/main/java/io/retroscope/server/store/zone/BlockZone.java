// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The zone map of a stored block: a summary of its content, from which a scan decides whether to
 * read the block. Immutable.
 *
 * @param id the block's key, ascending in order of arrival
 * @param firstHlc packed, the lowest stamp in the block
 * @param lastHlc packed, the highest stamp in the block
 */
public record BlockZone(long id, long firstHlc, long lastHlc, List<NodeZone> nodes) {
  /** An estimate of the memory of a zone map without its parts, with its places in the indexes. */
  private static final long ENTRY_BYTES = 160;

  /** An estimate of the memory of a node's part, and of a log's part in it. */
  private static final long PART_BYTES = 96;

  /**
   * One node's part of a block.
   *
   * @param lifecycle whether the part contains starts or stops, which every scan includes
   * @param marked whether the part contains events with marks about which readers are warned
   */
  public record NodeZone(
      String node,
      long eventCount,
      long firstHlc,
      long lastHlc,
      boolean lifecycle,
      boolean marked,
      List<LogZone> logs) {
    public NodeZone {
      logs = List.copyOf(logs);
    }

    public boolean holdsAnyOf(Set<String> wanted) {
      boolean holds = lifecycle;
      for (LogZone zone : logs) {
        holds |= wanted.contains(zone.log());
      }
      return holds;
    }

    /** Whether the part may contain events that match the interest. */
    public boolean matters(Interest interest) {
      if (marked || !interest.counts(node)) {
        return marked;
      }
      boolean matters = lifecycle;
      for (LogZone zone : logs) {
        matters = matters || zone.matters(interest);
      }
      return matters;
    }
  }

  /**
   * A node's part of a block in one log.
   *
   * @param variables the names that a query may use, ordered
   * @param written those names that state changes write, ordered
   */
  public record LogZone(String log, long eventCount, List<String> variables, List<String> written) {
    public boolean matters(Interest interest) {
      if (!interest.logs().contains(log)) {
        return false;
      }
      for (String variable : variables) {
        if (interest.follows(log, variable)) {
          return true;
        }
      }
      return variables.contains(MomentaryVariables.MESSAGE)
          && interest.follows(log, MomentaryVariables.FIELDS);
    }
  }

  public BlockZone {
    nodes = nodes instanceof SealedParts ? nodes : List.copyOf(nodes);
  }

  /**
   * What all blocks of some have in common that have one node and one log, no starts or stops, and
   * no events about which readers are warned.
   */
  public record Shape(String node, String log, List<String> variables) {
    public boolean matters(Interest interest) {
      return interest.counts(node) && new LogZone(log, 0, variables, List.of()).matters(interest);
    }
  }

  /** The shape of the block as it arrived; null if it has none. */
  @Nullable Shape shape() {
    if (isSealed() || nodes.size() != 1) {
      return null;
    }
    NodeZone node = nodes.get(0);
    if (node.lifecycle() || node.marked() || node.logs().size() != 1) {
      return null;
    }
    LogZone log = node.logs().get(0);
    return new Shape(node.node(), log.log(), log.variables());
  }

  /** Whether the block is a sealed one. */
  public boolean isSealed() {
    return nodes instanceof SealedParts;
  }

  /** An estimate of the memory of this zone map in an index; names are shared with others. */
  public long memoryBytes() {
    if (nodes instanceof SealedParts sealed) {
      return ENTRY_BYTES + PART_BYTES + sealed.countBytes();
    }
    long bytes = ENTRY_BYTES;
    for (NodeZone part : nodes) {
      bytes += PART_BYTES + part.logs().size() * PART_BYTES;
    }
    return bytes;
  }

  /** The number of events of all nodes. */
  public long eventCount() {
    long sum = 0;
    for (NodeZone part : nodes) {
      sum += part.eventCount();
    }
    return sum;
  }

  /** The zone map of a block, which holds at least one event. */
  public static BlockZone of(long id, EventBlock block) {
    return of(id, block, LongCounts.of(block));
  }

  /** The zone map of a block whose counts are known. */
  public static BlockZone of(long id, EventBlock block, @Nullable LongCounts counts) {
    return counts == null ? new Survey(block).zone(id) : ofLongs(id, block, counts);
  }

  /** The zone map of a block by a look at each row, whatever it does. */
  public static BlockZone ofRows(long id, EventBlock block) {
    return new Survey(block).zone(id);
  }

  private static BlockZone ofLongs(long id, EventBlock block, LongCounts counts) {
    List<NodeZone> zones = new ArrayList<>(block.nodes().size());
    for (int node = 0; node < block.nodes().size(); node++) {
      long events = counts.events(node);
      if (events > 0) {
        List<String> written = written(node, block, counts);
        LogZone log = new LogZone(block.logs().get(0), events, written, written);
        zones.add(
            new NodeZone(
                block.nodes().get(node),
                events,
                block.hlc(counts.firstRow(node)),
                block.hlc(counts.lastRow(node)),
                false,
                false,
                List.of(log)));
      }
    }
    return new BlockZone(id, block.firstHlc(), block.lastHlc(), zones);
  }

  private static List<String> written(int node, EventBlock block, LongCounts counts) {
    if (block.variables().size() == 1) {
      return block.variables();
    }
    Set<String> written = new TreeSet<>();
    for (int name = 0; name < block.variables().size(); name++) {
      if (counts.writes(node, name) > 0) {
        written.add(block.variables().get(name));
      }
    }
    return List.copyOf(written);
  }

  public boolean overlaps(HlcRange range) {
    return range.overlaps(new HlcRange(firstHlc, lastHlc));
  }

  public boolean holdsAnyOf(Set<String> wanted) {
    for (NodeZone zone : nodes) {
      if (zone.holdsAnyOf(wanted)) {
        return true;
      }
    }
    return false;
  }

  public boolean holdsLog(String log) {
    if (nodes instanceof SealedParts parts) {
      return parts.holdsLog(log);
    }
    for (NodeZone node : nodes) {
      for (LogZone zone : node.logs()) {
        if (zone.log().equals(log)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether the node's part overlaps the range. */
  public boolean reaches(String node, HlcRange range) {
    for (NodeZone part : nodes) {
      if (part.firstHlc() <= range.to()
          && part.lastHlc() >= range.from()
          && part.node().equals(node)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the block may contain events that match the interest. */
  public boolean matters(Interest interest) {
    for (NodeZone zone : nodes) {
      if (zone.matters(interest)) {
        return true;
      }
    }
    return false;
  }

  /** Collects the summary from the rows of one block. */
  private static final class Survey {
    private final EventBlock block;
    private final @Nullable NodePart[] nodes;

    Survey(EventBlock block) {
      this.block = block;
      nodes = new NodePart[block.nodes().size()];
      for (int row = 0; row < block.size(); row++) {
        NodePart node = nodes[block.nodeIndex(row)];
        if (node == null) {
          node = new NodePart(block.hlc(row));
          nodes[block.nodeIndex(row)] = node;
        }
        count(row, node);
      }
    }

    private void count(int row, NodePart node) {
      node.eventCount++;
      node.lastHlc = block.hlc(row);
      for (EventMark mark : MARKS) {
        node.marked |= block.isMarked(row, mark);
      }
      EventKind kind = block.kind(row);
      if (kind == EventKind.START || kind == EventKind.STOP) {
        node.lifecycle = true;
      } else if (kind != EventKind.HEARTBEAT) {
        countLog(row, kind, node.log(block.logIndex(row)));
      }
    }

    private void countLog(int row, EventKind kind, LogPart log) {
      log.eventCount++;
      switch (kind) {
        case SEND -> log.momentary.add(MomentaryVariables.SEND);
        case RECEIVE -> log.momentary.add(MomentaryVariables.RECEIVE);
        case LOG_LINE -> {
          log.momentary.add(MomentaryVariables.MESSAGE);
          addNames(row, log.named);
        }
        case STATE_CHANGE -> addNames(row, log.written);
        case HEARTBEAT, START, STOP -> throw new AssertionError("no event of a log: " + kind);
      }
    }

    private void addNames(int row, BitSet names) {
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        if (block.nameIndex(change) != EventBlock.NO_NAME) {
          names.set(block.nameIndex(change));
        }
      }
    }

    BlockZone zone(long id) {
      List<NodeZone> zones = new ArrayList<>();
      for (int i = 0; i < nodes.length; i++) {
        NodePart node = nodes[i];
        if (node != null) {
          zones.add(
              new NodeZone(
                  block.nodes().get(i),
                  node.eventCount,
                  node.firstHlc,
                  node.lastHlc,
                  node.lifecycle,
                  node.marked,
                  logs(node)));
        }
      }
      return new BlockZone(id, block.firstHlc(), block.lastHlc(), zones);
    }

    private List<LogZone> logs(NodePart node) {
      Map<String, LogZone> logs = new TreeMap<>();
      node.logs.forEach(
          (index, part) -> {
            String log = block.logs().get(index);
            Set<String> written = names(part.written);
            Set<String> variables = names(part.named);
            variables.removeIf(name -> !MomentaryVariables.isVariable(name));
            variables.addAll(part.momentary);
            variables.addAll(written);
            logs.put(
                log,
                new LogZone(log, part.eventCount, List.copyOf(variables), List.copyOf(written)));
          });
      return new ArrayList<>(logs.values());
    }

    private Set<String> names(BitSet indexes) {
      Set<String> names = new TreeSet<>();
      indexes.stream().forEach(index -> names.add(block.variables().get(index)));
      return names;
    }
  }

  /** The marks about which readers are warned. */
  private static final EventMark[] MARKS = {EventMark.REPAIR, EventMark.UNORDERED};

  /** The summary of one node's rows. */
  private static final class NodePart {
    private final long firstHlc;
    private final Map<Integer, LogPart> logs = new HashMap<>();
    private @Nullable LogPart latest;
    private int latestIndex;
    private long lastHlc;
    private long eventCount;
    private boolean lifecycle;
    private boolean marked;

    NodePart(long firstHlc) {
      this.firstHlc = firstHlc;
    }

    LogPart log(int index) {
      if (latest == null || latestIndex != index) {
        latest = logs.computeIfAbsent(index, i -> new LogPart());
        latestIndex = index;
      }
      return latest;
    }
  }

  /** The summary of a node's rows in one log; names by their index in the block. */
  private static final class LogPart {
    private final BitSet written = new BitSet();
    private final BitSet named = new BitSet();
    private final Set<String> momentary = new TreeSet<>();
    private long eventCount;
  }
}
