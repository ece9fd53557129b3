// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.HlcRange;
import java.util.function.Consumer;

/**
 * All blocks that may already contain an event: the stored ones, those that the current change
 * adds, and the quarantined ones. Used by the writing thread.
 */
final class KnownBlocks {
  private final StoreState state;
  private final Changes changes;
  private final long quarantinedFrom;

  /**
   * The blocks as they were before a change.
   *
   * @param quarantinedFrom packed; an event below it may be stored although it is in quarantine
   */
  KnownBlocks(StoreState state, Changes changes, long quarantinedFrom) {
    this.state = state;
    this.changes = changes;
    this.quarantinedFrom = quarantinedFrom;
  }

  /** Whether any block may contain a stamp of the node in the range; reads no block. */
  boolean reach(String node, HlcRange range) {
    return state.stored().reaches(node, range)
        || changes.stored().reaches(node, range)
        || (range.to() >= quarantinedFrom
            && (state.quarantined().reaches(node, range)
                || changes.quarantined().reaches(node, range)));
  }

  /** Passes each block that may contain a stamp of the node in the range to the visitor. */
  void forEach(String node, HlcRange range, Consumer<EventBlock> visitor) {
    state.stored().overlapping(node, range).forEach(zone -> visitor.accept(state.block(zone)));
    changes
        .stored()
        .overlapping(node, range)
        .forEach(zone -> visitor.accept(changes.block(zone.id())));
    if (range.to() < quarantinedFrom) {
      return;
    }
    HlcRange ahead = new HlcRange(Math.max(range.from(), quarantinedFrom), range.to());
    state
        .quarantined()
        .overlapping(node, ahead)
        .forEach(zone -> visitor.accept(state.quarantinedBlock(zone.id())));
    changes
        .quarantined()
        .overlapping(node, ahead)
        .forEach(zone -> visitor.accept(changes.block(zone.id())));
  }
}
