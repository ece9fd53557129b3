// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/** The values that variables of a run had at one cut. Used by one thread. */
final class Coincidences {
  private static final long NEVER = Long.MAX_VALUE;

  private final int size;
  private final long[] atOnce;
  private final long[] atNode;

  /** Creates a table for the first values of a run, without coincidences. */
  Coincidences(int size) {
    this.size = size;
    atOnce = new long[size * size];
    atNode = new long[size * size];
    Arrays.fill(atOnce, NEVER);
    Arrays.fill(atNode, NEVER);
  }

  /** Whether a value is among those that are followed. */
  boolean follows(ValueHistory value) {
    return value.index() < size;
  }

  /** Adds those of a value that a node has with the values that are present. */
  void add(
      ValueHistory value, int node, long hlc, Collection<VariableHistory> variables, int nodes) {
    if (!follows(value)) {
      return;
    }
    for (VariableHistory variable : variables) {
      for (ValueHistory other : variable.values()) {
        if (other != value && follows(other)) {
          for (int at = 0; at < nodes; at++) {
            if (other.isAt(at)) {
              put(value, other, at == node, hlc);
            }
          }
        }
      }
    }
  }

  private void put(ValueHistory value, ValueHistory other, boolean sameNode, long hlc) {
    int least = Math.min(value.index(), other.index());
    int place = least * size + Math.max(value.index(), other.index());
    atOnce[place] = Math.min(atOnce[place], hlc);
    if (sameNode) {
      atNode[place] = Math.min(atNode[place], hlc);
    }
  }

  /** Adds the traits of values. */
  void addTo(RunTraits traits, List<ValueHistory> seen) {
    for (ValueHistory value : seen) {
      for (ValueHistory other : seen) {
        if (value.index() >= other.index() || !follows(other)) {
          continue;
        }
        int place = value.index() * size + other.index();
        // The vocabulary's order is the same in all runs.
        int first = Math.min(value.atom(), other.atom());
        int second = Math.max(value.atom(), other.atom());
        if (atOnce[place] != NEVER) {
          traits.hold(TraitKind.AT_ONCE, first, second, atOnce[place]);
        }
        if (atNode[place] != NEVER) {
          traits.hold(TraitKind.AT_NODE, first, second, atNode[place]);
        }
      }
    }
  }
}
