// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Set;

/** A view that several threads can walk, each a slice of its time. */
public interface Slicing {
  /**
   * Returns stamps at which a walk over the logs may be split into slices, ascending and above the
   * first stamp of the range; empty if there are too few events. The state at each can be found
   * quickly.
   *
   * @param most the largest number of slices
   */
  long[] borders(Set<String> logs, HlcRange range, int most);

  /**
   * Opens another view of the same moment, for another thread. Any thread may call it while the
   * view is open.
   */
  EventSource.View another();
}
