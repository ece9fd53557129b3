// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The removal of all events up to a stamp, in changes of limited size. Blocks that begin up to the
 * stamp and end later are split there. Used while no other thread removes or replaces blocks.
 */
final class HistoryTrim {
  private static final int MAX_BLOCKS = 4_096;

  /** The rows of split blocks in one change, unless there are more in one block. */
  private static final long MAX_SPLIT_ROWS = 100_000;

  private final StoreState state;
  private final long hlc;

  HistoryTrim(StoreState state, long hlc) {
    this.state = state;
    this.hlc = hlc;
  }

  /**
   * The next change, which must be applied before another one is made; empty if nothing is left.
   */
  Optional<Submission.Trim> next() {
    BlockIndex.Snapshot index = state.published().index();
    List<BlockZone> gone = new ArrayList<>();
    List<MadeBlock> rests = new ArrayList<>();
    long splitRows = 0;
    for (int i = 0; i < index.size() && gone.size() < MAX_BLOCKS; i++) {
      if (index.firstHlc(i) > hlc) {
        continue;
      }
      BlockZone zone = index.zone(i);
      if (index.lastHlc(i) <= hlc) {
        gone.add(zone);
      } else if (splitRows == 0 || splitRows + zone.eventCount() <= MAX_SPLIT_ROWS) {
        EventBlock block = state.block(zone);
        if (block.size() == zone.eventCount()) {
          splitRows += zone.eventCount();
          gone.add(zone);
          MadeBlock.above(hlc, block, rests::add);
        }
      }
    }
    return gone.isEmpty() ? Optional.empty() : Optional.of(new Submission.Trim(hlc, gone, rests));
  }
}
