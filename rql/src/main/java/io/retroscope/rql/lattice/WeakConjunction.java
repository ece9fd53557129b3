// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.rql.evaluation.WorkMeter;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The search for the least consistent cut at which each node is in a state that passes its tests:
 * the weak conjunctive predicates of V. K. Garg and B. Waldecker (1994). It takes O(n²m) steps for
 * n nodes with m states each.
 */
final class WeakConjunction {
  private final Computation computation;
  private final @Nullable BitSet[] passing;
  private final WorkMeter work;

  /**
   * Creates a search.
   *
   * @param passing the states that pass the tests of each node; null for a node without tests
   */
  WeakConjunction(Computation computation, @Nullable BitSet[] passing, WorkMeter work) {
    this.computation = computation;
    this.passing = passing;
    this.work = work;
  }

  /** Returns the least cut; empty if there is none. */
  Optional<int[]> least() {
    /*
     * The cut only grows, and each step is forced: a state that fails its tests, or that another
     * node's state must follow, is in no solution above the cut.
     */
    int[] cut = computation.start();
    ArrayDeque<Integer> grown = new ArrayDeque<>();
    for (int node = 0; node < cut.length; node++) {
      grown.add(node);
    }
    while (!grown.isEmpty()) {
      int node = grown.remove();
      work.add(cut.length);
      BitSet tested = passing[node];
      int state = tested == null ? cut[node] : tested.nextSetBit(cut[node]);
      if (state < 0) {
        return Optional.empty();
      }
      cut[node] = state;
      include(cut, node, grown);
    }
    return Optional.of(cut);
  }

  /** Adds what precedes a node's state. */
  private void include(int[] cut, int node, ArrayDeque<Integer> grown) {
    int[] past = computation.state(node, cut[node]).past();
    for (int other = 0; other < cut.length; other++) {
      if (other != node && cut[other] < past[other]) {
        cut[other] = past[other];
        grown.add(other);
      }
    }
  }
}
