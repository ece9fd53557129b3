// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import java.util.List;

/** The nodes that a server knows, some of which will not return. Thread-safe. */
public interface NodeRegister {
  /**
   * Closes all runs of a node permanently; its events remain.
   *
   * @return the runs that this closed
   * @throws NodeRefusedException if the node is still sending or not known
   */
  List<ClosedRun> forget(String node);

  /**
   * A run that was closed.
   *
   * @param incarnation empty if the node gave no name to its run
   * @param hlc packed stamp of the last event or heartbeat from the run
   */
  record ClosedRun(String incarnation, long hlc) {}
}
