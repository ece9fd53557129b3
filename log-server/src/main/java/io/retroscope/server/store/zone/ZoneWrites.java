// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.ValueType;
import io.retroscope.rql.cut.LogWrites;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The writes to the variables in a block, stored with its zone map and read only for DESCRIBE.
 * Effectively immutable.
 */
public record ZoneWrites(Map<Key, Counted> byKey) {
  /**
   * A variable that a node wrote.
   *
   * @param ofState whether state changes wrote it, and not log lines or messages
   */
  record Key(String node, String log, String variable, boolean ofState) {}

  /**
   * The writes of one variable.
   *
   * @param types the names of the values' types
   * @param lastHlc packed
   */
  record Counted(Set<String> types, long count, long lastHlc) {
    private Counted plus(Counted other) {
      Set<String> both = new TreeSet<>(types);
      both.addAll(other.types);
      return new Counted(both, count + other.count, Math.max(lastHlc, other.lastHlc));
    }
  }

  private static final Set<String> LONGS = Set.of("LONG");

  /** The writes in a block, which is read once. */
  public static ZoneWrites of(EventBlock block) {
    return of(block, LongCounts.of(block));
  }

  /** The writes in a block whose counts are known. */
  public static ZoneWrites of(EventBlock block, @Nullable LongCounts counts) {
    return counts == null ? ofRows(block) : ofLongs(block, counts);
  }

  private static ZoneWrites ofLongs(EventBlock block, LongCounts counts) {
    Map<Key, Counted> byKey = new HashMap<>();
    for (int node = 0; node < block.nodes().size(); node++) {
      for (int name = 0; name < block.variables().size(); name++) {
        if (counts.writes(node, name) > 0) {
          // A node may have several runs in the block.
          byKey.merge(
              new Key(
                  block.nodes().get(node), block.logs().get(0), block.variables().get(name), true),
              new Counted(
                  LONGS, counts.writes(node, name), block.hlc(counts.lastWrite(node, name))),
              Counted::plus);
        }
      }
    }
    return new ZoneWrites(byKey);
  }

  /** The writes in a block by a look at each row, whatever it does. */
  public static ZoneWrites ofRows(EventBlock block) {
    Count count = new Count(block);
    for (int row = 0; row < block.size(); row++) {
      count.addRow(row);
    }
    return count.writes();
  }

  /** The writes of one key while they are counted. */
  private static final class Tally {
    private final Key key;
    private final Set<String> types = new TreeSet<>();
    private @Nullable ValueType latest;
    private long count;
    private long lastHlc;

    Tally(Key key) {
      this.key = key;
    }
  }

  /** Counts the rows of a block. Its keys are found by the indexes of their names in the block. */
  private static final class Count {
    /** Names that are not among the block's. */
    private static final List<String> MOMENTARY =
        List.of(MomentaryVariables.MESSAGE, MomentaryVariables.SEND, MomentaryVariables.RECEIVE);

    private final EventBlock block;
    private final int nameCount;
    private final Map<Long, Tally> tallies = new HashMap<>();

    /** The tally of the latest row of each node. */
    private final @Nullable Tally[] latest;

    private final long[] latestKeys;

    Count(EventBlock block) {
      this.block = block;
      this.nameCount = block.variables().size();
      this.latest = new Tally[block.nodes().size()];
      this.latestKeys = new long[latest.length];
    }

    void addRow(int row) {
      switch (block.kind(row)) {
        case STATE_CHANGE -> addChanges(row, true);
        case LOG_LINE -> {
          tally(row, nameCount, false).types.add("STRING");
          addChanges(row, false);
        }
        case SEND -> tally(row, nameCount + 1, false).types.add("STRUCT");
        case RECEIVE -> tally(row, nameCount + 2, false).types.add("STRUCT");
        case START, STOP, HEARTBEAT -> {}
      }
    }

    private void addChanges(int row, boolean ofState) {
      for (int change = block.firstChange(row); change < block.endChange(row); change++) {
        int name = block.nameIndex(change);
        if (name == EventBlock.NO_NAME) {
          continue;
        }
        if (ofState && block.operation(change) == Operation.UNSET) {
          Tally unused = tally(row, name, true);
        } else if (ofState || MomentaryVariables.isVariable(block.variables().get(name))) {
          addType(tally(row, name, ofState), change);
        }
      }
    }

    private void addType(Tally tally, int change) {
      ValueType type = block.type(change);
      if (type != tally.latest || type == ValueType.NESTED) {
        tally.latest = type;
        tally.types.add(block.value(change).typeName());
      }
    }

    /** Counts a write. */
    private Tally tally(int row, int name, boolean ofState) {
      int node = block.nodeIndex(row);
      long key =
          (((long) node * block.logs().size() + block.logIndex(row))
                          * (nameCount + MOMENTARY.size())
                      + name)
                  * 2
              + (ofState ? 1 : 0);
      Tally tally = latest[node];
      if (tally == null || latestKeys[node] != key) {
        tally = tallies.computeIfAbsent(key, missing -> new Tally(key(row, name, ofState)));
        latest[node] = tally;
        latestKeys[node] = key;
      }
      tally.count++;
      tally.lastHlc = block.hlc(row);
      return tally;
    }

    private Key key(int row, int name, boolean ofState) {
      String variable =
          name < nameCount ? block.variables().get(name) : MOMENTARY.get(name - nameCount);
      return new Key(
          block.nodes().get(block.nodeIndex(row)),
          block.logs().get(block.logIndex(row)),
          variable,
          ofState);
    }

    ZoneWrites writes() {
      Map<Key, Counted> byKey = new HashMap<>();
      // A log line may have a field with the name of its message.
      for (Tally tally : tallies.values()) {
        byKey.merge(tally.key, new Counted(tally.types, tally.count, tally.lastHlc), Counted::plus);
      }
      return new ZoneWrites(byKey);
    }
  }

  /** Adds the writes in a log. */
  public void addTo(String log, LogWrites writes) {
    byKey.forEach(
        (key, counted) -> {
          if (key.log.equals(log)) {
            writes.add(
                key.variable, key.ofState, counted.types, key.node, counted.count, counted.lastHlc);
          }
        });
  }
}
