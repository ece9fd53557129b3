package io.retroscope.blocks;

import io.retroscope.event.EventBlock;
import java.util.Set;
import java.util.function.IntPredicate;

/** A test for the rows that a merge returns. */
public interface RowTest {
  /** Returns the test for the rows of one block. */
  IntPredicate in(EventBlock block);

  /** Returns a test for starts, stops and the events in the given logs. */
  static RowTest ofLogs(Set<String> logs) {
    return block -> {
      boolean[] wanted = new boolean[block.logs().size()];
      for (int i = 0; i < wanted.length; i++) {
        wanted[i] = logs.contains(block.logs().get(i));
      }
      return row ->
          switch (block.kind(row)) {
            case START, STOP -> true;
            case HEARTBEAT -> false;
            default -> wanted[block.logIndex(row)];
          };
    };
  }
}
