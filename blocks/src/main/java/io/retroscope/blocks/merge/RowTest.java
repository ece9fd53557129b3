// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import io.retroscope.event.EventBlock;
import java.util.Set;
import java.util.function.IntPredicate;

/** A test for the rows that a merge returns. */
public interface RowTest {
  /** Returns the test for the rows of one block. */
  IntPredicate in(EventBlock block);

  /** Returns whether all rows of a block certainly pass the test, which is then not called. */
  default boolean takesAll(EventBlock block) {
    return false;
  }

  /** Returns a test for starts, stops and the events in the given logs. */
  static RowTest ofLogs(Set<String> logs) {
    return new OfLogs(Set.copyOf(logs));
  }

  /** A test for starts, stops and the events in the given logs. */
  record OfLogs(Set<String> logs) implements RowTest {
    @Override
    public IntPredicate in(EventBlock block) {
      boolean[] wanted = new boolean[block.logs().size()];
      for (int i = 0; i < wanted.length; i++) {
        wanted[i] = logs.contains(block.logs().get(i));
      }
      return row ->
          switch (block.kind(row)) {
            case START, STOP -> true;
            case HEARTBEAT -> false;
            case STATE_CHANGE, LOG_LINE, SEND, RECEIVE -> wanted[block.logIndex(row)];
          };
    }

    /** Heartbeats have the log with the empty name, which no query names. */
    @Override
    public boolean takesAll(EventBlock block) {
      return !logs.contains("") && logs.containsAll(block.logs());
    }
  }
}
