// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The states of a computation that pass tests, each evaluated once. Used by one thread. */
final class LocalTests {
  private final Computation computation;
  private final Function<LocalTest, CutPredicate> predicates;
  private final IdentityHashMap<LocalTest, BitSet> passing = new IdentityHashMap<>();

  /**
   * Creates the results of tests.
   *
   * @param predicates the expression of a test over cuts that have only its node
   */
  LocalTests(Computation computation, Function<LocalTest, CutPredicate> predicates) {
    this.computation = computation;
    this.predicates = predicates;
  }

  /**
   * Returns the states of each node that pass all tests; null for a node without a test.
   *
   * @throws io.retroscope.rql.evaluation.EvaluationException if a test has no value in some state
   */
  @Nullable BitSet[] of(Conjunction conjunction) {
    @Nullable BitSet[] all = new BitSet[computation.size()];
    for (LocalTest test : conjunction.tests()) {
      BitSet own = passing.computeIfAbsent(test, this::evaluate);
      BitSet before = all[test.node()];
      if (before == null) {
        all[test.node()] = own;
      } else {
        BitSet both = (BitSet) before.clone();
        both.and(own);
        all[test.node()] = both;
      }
    }
    return all;
  }

  private BitSet evaluate(LocalTest test) {
    CutPredicate predicate = predicates.apply(test);
    BitSet states = new BitSet();
    int[] cut = computation.start();
    for (int state = 0; state <= computation.last(test.node()); state++) {
      cut[test.node()] = state;
      if (test.accepts(predicate.at(cut))) {
        states.set(state);
      }
    }
    return states;
  }
}
