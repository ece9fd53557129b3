// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/**
 * The variables that the events of a short range write: found once for many walks, so that those to
 * which no event matters need not read it. Used by one thread.
 */
final class WrittenVariables {
  private final Set<Reference.Variable> written = new HashSet<>();
  private final Set<String> writtenLogs = new HashSet<>();

  /** The logs with lines and messages. */
  private final Set<String> others = new HashSet<>();

  /** Whether a node started or stopped, which may end any of its values. */
  private boolean hasStarts;

  /** Finds what the events of some logs write. */
  static WrittenVariables in(View view, Set<String> logs, HlcRange range) {
    WrittenVariables found = new WrittenVariables();
    ArrivalWindow window = view.scan(Interest.inAll(logs), range);
    EventBlock block = null;
    Set<Integer> seen = new HashSet<>();
    while (window.next()) {
      for (int i = 0; i < window.size(); i++) {
        if (window.block(i) != block) {
          block = window.block(i);
          seen.clear();
        }
        found.add(block, window.row(i), seen);
      }
    }
    return found;
  }

  /**
   * @param seen the pairs of a log and a name of the block that are known
   */
  private void add(EventBlock block, int row, Set<Integer> seen) {
    switch (block.kind(row)) {
      case STATE_CHANGE -> {
        int log = block.logIndex(row);
        for (int i = block.firstChange(row); i < block.endChange(row); i++) {
          int name = block.nameIndex(i);
          if (seen.add(log * block.variables().size() + name)) {
            String of = block.logs().get(log);
            writtenLogs.add(of);
            written.add(new Reference.Variable(of, block.variables().get(name)));
          }
        }
      }
      case LOG_LINE, SEND, RECEIVE -> others.add(block.logs().get(block.logIndex(row)));
      case START, STOP -> hasStarts = true;
      case HEARTBEAT -> {}
    }
  }

  /** Whether an event may matter to queries. */
  boolean concern(LiveShape shape) {
    return hasStarts
        || !Collections.disjoint(others, shape.input().logs())
        || (shape.input().forEach().isPresent()
            && !Collections.disjoint(writtenLogs, shape.input().logs()))
        || !Collections.disjoint(written, shape.input().variables());
  }
}
