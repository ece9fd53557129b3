// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/** How the numbers of one log compare at the cuts of a run. Used by one thread. */
final class NumberRelations {
  /** The most values of a number whose nodes are known. */
  private static final int MAX_RANKS = 20_000;

  private final RunTraits traits;
  private final Map<Rank, Integer> ranks = new HashMap<>();
  private final Map<Pair, Integer> ranked = new HashMap<>();
  private final Map<Pair, Integer> firstNodes = new HashMap<>();

  /** A value of a number while another variable has a value. */
  private record Rank(int atom, int variable, double value) {}

  /** A variable with a value, and a number. */
  private record Pair(int atom, int variable) {}

  NumberRelations(RunTraits traits) {
    this.traits = traits;
  }

  /** Takes a cut at which a variable was set at a node. */
  void cut(VariableHistory set, int node, long hlc, Collection<VariableHistory> variables) {
    if (set.at(node) == NullValue.NULL) {
      return;
    }
    for (VariableHistory other : variables) {
      if (other != set
          && other.name().log().equals(set.name().log())
          && other.at(node) != NullValue.NULL) {
        if (set.isNumber() && other.isNumber()) {
          compare(set, other, node, hlc);
        }
        rank(set, other, node, hlc);
        rank(other, set, node, hlc);
      }
    }
  }

  private void compare(VariableHistory one, VariableHistory other, int node, long hlc) {
    int least = Math.min(one.number(), other.number());
    traits.hold(TraitKind.COMPARED, least, Math.max(one.number(), other.number()), hlc);
    double difference = one.number(node) - other.number(node);
    if (difference < 0) {
      traits.hold(TraitKind.BELOW, one.number(), other.number(), hlc);
    } else if (difference > 0) {
      traits.hold(TraitKind.BELOW, other.number(), one.number(), hlc);
    }
    traits.measure(TraitKind.BACKED, one.number(), other.number(), -backing(one, other), hlc);
    traits.measure(TraitKind.BACKED, other.number(), one.number(), -backing(other, one), hlc);
  }

  /** The number of nodes whose number is at least the greatest of another one. */
  private static int backing(VariableHistory number, VariableHistory other) {
    double greatest = Double.NEGATIVE_INFINITY;
    for (int node = 0; node < other.size(); node++) {
      greatest = Math.max(greatest, orLeast(other, node));
    }
    int count = 0;
    for (int node = 0; node < number.size(); node++) {
      count += orLeast(number, node) >= greatest ? 1 : 0;
    }
    return count;
  }

  private static double orLeast(VariableHistory variable, int node) {
    double value = variable.number(node);
    return Double.isNaN(value) ? Double.NEGATIVE_INFINITY : value;
  }

  /** Notes which node has a number while it has a value. */
  private void rank(VariableHistory state, VariableHistory number, int node, long hlc) {
    Value value = state.at(node);
    boolean isState = !state.isNumber() && value != BooleanValue.FALSE && number.isNumber();
    if (!isState || state.isManyValued()) {
      return;
    }
    for (ValueHistory one : state.values()) {
      if (one.isAt(node) && ranks.size() < MAX_RANKS) {
        Rank rank = new Rank(one.atom(), number.number(), number.number(node));
        Integer before = ranks.putIfAbsent(rank, node);
        if (before == null) {
          Pair pair = new Pair(one.atom(), number.number());
          int firstNode = firstNodes.computeIfAbsent(pair, added -> node);
          ranked.merge(pair, node == firstNode ? 0 : 1, Integer::sum);
        } else if (before != node) {
          traits.hold(TraitKind.CLASHED, one.atom(), number.number(), hlc);
        }
      }
    }
  }

  /** Adds the traits at the end of a run. */
  void addTo(RunTraits all) {
    ranked.forEach(
        (pair, count) -> all.measure(TraitKind.RANKED, pair.atom(), pair.variable(), count, 0));
  }
}
