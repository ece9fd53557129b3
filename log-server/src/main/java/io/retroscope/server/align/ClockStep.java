// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.List;

/**
 * A contradiction in the evidence: a clock stepped, or an assumption is wrong.
 *
 * @param nodes indices of the nodes, in order, one of which stepped; a single node if it could be
 *     identified
 * @param timeMicros when it was found
 * @param sizeMicros the size of the contradiction: the step was at least this large
 */
record ClockStep(List<Integer> nodes, double timeMicros, double sizeMicros) {
  /** Copies the nodes. */
  ClockStep {
    nodes = List.copyOf(nodes);
  }
}
