package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.LogWrites;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The writes to the variables in a block, stored with its zone map and read only for DESCRIBE.
 * Effectively immutable.
 */
record ZoneWrites(Map<Key, Counted> byKey) {
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
  record Counted(Set<String> types, long count, long lastHlc) {}

  /** The writes in a block, which is read once. */
  static ZoneWrites of(EventBlock block) {
    ZoneWrites writes = new ZoneWrites(new HashMap<>());
    for (int row = 0; row < block.size(); row++) {
      writes.addRow(block, row);
    }
    return writes;
  }

  private void addRow(EventBlock block, int row) {
    EventKind kind = block.kind(row);
    switch (kind) {
      case STATE_CHANGE -> addChanges(block, row, true);
      case LOG_LINE -> {
        add(block, row, MomentaryVariables.MESSAGE, false, "STRING");
        addChanges(block, row, false);
      }
      case SEND -> add(block, row, MomentaryVariables.SEND, false, "STRUCT");
      case RECEIVE -> add(block, row, MomentaryVariables.RECEIVE, false, "STRUCT");
      case START, STOP, HEARTBEAT -> {}
    }
  }

  private void addChanges(EventBlock block, int row, boolean ofState) {
    for (int change = block.firstChange(row); change < block.endChange(row); change++) {
      if (block.nameIndex(change) == EventBlock.NO_NAME) {
        continue;
      }
      String variable = block.variables().get(block.nameIndex(change));
      if (ofState && block.operation(change) == Operation.UNSET) {
        add(block, row, variable, true, "");
      } else if (ofState || MomentaryVariables.isVariable(variable)) {
        Value value = block.value(change);
        add(block, row, variable, ofState, value.typeName());
      }
    }
  }

  private void add(EventBlock block, int row, String variable, boolean ofState, String type) {
    Key key =
        new Key(
            block.nodes().get(block.nodeIndex(row)),
            block.logs().get(block.logIndex(row)),
            variable,
            ofState);
    Counted before = byKey.get(key);
    if (before != null && (type.isEmpty() || before.types.contains(type))) {
      byKey.put(key, new Counted(before.types, before.count + 1, block.hlc(row)));
      return;
    }
    Set<String> types = before == null ? new TreeSet<>() : new TreeSet<>(before.types);
    if (!type.isEmpty()) {
      types.add(type);
    }
    byKey.put(key, new Counted(types, before == null ? 1 : before.count + 1, block.hlc(row)));
  }

  /** Adds the writes in a log. */
  void addTo(String log, LogWrites writes) {
    byKey.forEach(
        (key, counted) -> {
          if (key.log.equals(log)) {
            writes.add(
                key.variable, key.ofState, counted.types, key.node, counted.count, counted.lastHlc);
          }
        });
  }
}
