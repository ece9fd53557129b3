package io.retroscope.server.align;

import java.util.List;

/**
 * A contradiction between clocks that stopped: some clock jumped, or an assumption is wrong.
 *
 * @param nodes indices of the nodes, in order, one of which jumped; one where it could be told
 * @param timeMicros when it was found
 * @param sizeMicros by how much the evidence contradicted itself: the jump was at least this large
 */
record ClockStep(List<Integer> nodes, double timeMicros, double sizeMicros) {
  /** Copies the nodes. */
  ClockStep {
    nodes = List.copyOf(nodes);
  }
}
