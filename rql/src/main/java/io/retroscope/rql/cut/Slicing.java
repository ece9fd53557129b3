// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
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

  /** Other processes that can walk slices of the same events. */
  default List<Host> hosts() {
    return List.of();
  }

  /**
   * Another process with an engine over all events of the view, and maybe later ones. Thread-safe.
   */
  interface Host {
    /**
     * Begins to walk a slice.
     *
     * @param request in the form of the engine
     * @return the answer in the form of the engine; closing it ends the walk
     * @throws IOException if the process does not answer
     */
    InputStream walk(byte[] request) throws IOException, InterruptedException;
  }
}
