// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.Run;
import java.util.List;

/**
 * A view that knows the order of events of one node with equal stamps, for merging it with others.
 * Used by the view's thread.
 */
public interface OrderedRuns {
  /**
   * The runs of all nodes that may have assigned one stamp twice, those of a node in the order in
   * which their events with equal stamps are.
   */
  List<Run> overlappingRuns();
}
