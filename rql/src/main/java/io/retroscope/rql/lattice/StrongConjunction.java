// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.rql.evaluation.WorkMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decision whether each interleaving passes a cut at which each node is in a state that passes
 * its tests: the strong conjunctive predicates of V. K. Garg and B. Waldecker (1996). It takes
 * O(n²m) steps for n nodes with m states each.
 */
final class StrongConjunction {
  private final Computation computation;
  private final List<Runs> runs = new ArrayList<>();
  private final WorkMeter work;

  /**
   * Creates a search.
   *
   * @param passing the states that pass the tests of each node; null for a node without tests
   */
  StrongConjunction(Computation computation, @Nullable BitSet[] passing, WorkMeter work) {
    this.computation = computation;
    this.work = work;
    for (int node = 0; node < passing.length; node++) {
      BitSet tested = passing[node];
      if (tested != null) {
        runs.add(new Runs(node, tested));
      }
    }
  }

  /** Returns the decision. */
  boolean holds() {
    /*
     * It holds exactly if there is a run of passing states at each node such that each of these runs
     * begins before any of them ends. Where the run of one node need not begin before that of
     * another one ends, none of its later runs need, so that the other run is in no solution.
     */
    if (!runs.stream().allMatch(Runs::next)) {
      return false;
    }
    ArrayDeque<Runs> moved = new ArrayDeque<>(runs);
    while (!moved.isEmpty()) {
      Runs run = moved.remove();
      for (Runs other : runs) {
        work.add(1);
        boolean possible = run == other || (match(run, other, moved) && match(other, run, moved));
        if (!possible) {
          return false;
        }
      }
    }
    return true;
  }

  /** Moves to the next run that ends after the other one has begun; returns false at the end. */
  private boolean match(Runs first, Runs second, ArrayDeque<Runs> moved) {
    while (!beginsBeforeEnd(first, second)) {
      if (!second.next()) {
        return false;
      }
      moved.add(second);
    }
    return true;
  }

  private boolean beginsBeforeEnd(Runs first, Runs second) {
    return first.from == 0
        || second.to == computation.last(second.node)
        || computation.required(second.node, second.to + 1, first.node) >= first.from;
  }

  /** The runs of passing states of one node, one after the other. */
  private static final class Runs {
    private final int node;
    private final BitSet passing;
    private int from;
    private int to = -1;

    Runs(int node, BitSet passing) {
      this.node = node;
      this.passing = passing;
    }

    boolean next() {
      from = passing.nextSetBit(to + 1);
      to = from < 0 ? to : passing.nextClearBit(from) - 1;
      return from >= 0;
    }
  }
}
