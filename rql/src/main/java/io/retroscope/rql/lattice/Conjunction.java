// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import java.util.ArrayList;
import java.util.List;

/** Tests of single nodes that must all succeed. A node may have several tests. Immutable. */
record Conjunction(List<LocalTest> tests) {
  /** Copies the tests. */
  Conjunction {
    tests = List.copyOf(tests);
  }

  /** Whether there are tests of one node only. */
  boolean isOfOneNode() {
    return tests.stream().mapToInt(LocalTest::node).distinct().count() == 1;
  }

  Conjunction and(Conjunction other) {
    List<LocalTest> both = new ArrayList<>(tests);
    both.addAll(other.tests);
    return new Conjunction(both);
  }
}
