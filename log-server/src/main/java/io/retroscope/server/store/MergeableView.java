// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.merge.BlockSet;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.server.store.zone.SliceBorders;
import java.util.List;
import java.util.Set;

/** A view whose blocks can be merged with those of other stores. Used by one thread. */
public interface MergeableView extends View {
  /**
   * The runs of all nodes that may have assigned one stamp twice, those of a node in the order in
   * which their events with equal stamps are.
   */
  List<Run> overlappingRuns();

  /** The blocks of {@link View#scan(Interest, HlcRange)}, read as the merge needs them. */
  BlockSet blocks(Interest interest, HlcRange range);

  /** The stored blocks of the same scan, ordered by their first stamps. */
  List<StoredBlock> stored(Interest interest, HlcRange range);

  /** The sealed blocks of logs in a range, before which a walk may be split. */
  List<SliceBorders.Start> sealed(Set<String> logs, HlcRange range);

  /**
   * Packed: the last stamp up to which retention had removed events when the view was opened; below
   * every stamp if it had removed none.
   */
  long removedHlc();

  /** The number of events in quarantine, which no query sees. */
  long quarantinedCount();

  /** The number of events that senders declared lost. */
  long lostEventCount();

  /** The names to which sealed blocks refer. They may grow, but none changes. */
  StoreNames names();
}
