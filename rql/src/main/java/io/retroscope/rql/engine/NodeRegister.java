package io.retroscope.rql.engine;

import java.util.List;

/** The nodes that a server knows, of which some will not come back. Thread-safe. */
public interface NodeRegister {
  /**
   * Closes all runs of a node for good; its events stay.
   *
   * @return the runs that this closed
   * @throws NodeRefusedException if the node is heard from or not known
   */
  List<ClosedRun> forget(String node);

  /**
   * A run that was closed.
   *
   * @param incarnation empty where the node gave its run no name
   * @param hlc packed, the last that was heard from it
   */
  record ClosedRun(String incarnation, long hlc) {}
}
