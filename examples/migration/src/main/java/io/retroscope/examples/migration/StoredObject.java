// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.examples.simulate.migration.Policy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** An object at a region: its value if it is here, or where it may be. Guarded by the region. */
final class StoredObject {
  /** The accesses that move with an object, so that its policy knows them. */
  private static final int HISTORY = 10;

  final int number;
  boolean owned;
  boolean moving;

  /** Whether the region that gave it away still serves it: it does not move on before. */
  boolean held;

  /** The region to which it was given, or which had it at first. */
  int whereabouts;

  /** Counts accesses. */
  long value;

  private final Deque<Integer> history = new ArrayDeque<>();
  private Policy policy = Policy.Kind.NONE.create();
  private int act = -1;

  StoredObject(int number, int whereabouts, boolean owned) {
    this.number = number;
    this.whereabouts = whereabouts;
    this.owned = owned;
  }

  /** Counts an access; returns the region in which the object should be. */
  int access(int region, int owner, Act current) {
    value++;
    if (act != current.number()) {
      act = current.number();
      policy = current.script().policy().create();
      history.clear();
    }
    history.add(region);
    if (history.size() > HISTORY) {
      history.remove();
    }
    return policy.wanted(region, owner);
  }

  List<Integer> history() {
    return List.copyOf(history);
  }

  /** Receives the object with the accesses before. */
  void take(long newValue, List<Integer> accesses, int owner, Act current) {
    act = -1;
    for (int region : accesses) {
      access(region, owner, current);
    }
    value = newValue;
    owned = true;
    whereabouts = owner;
  }
}
