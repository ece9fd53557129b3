// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The sets that nodes have, in which log lines may look up values. Used by one thread. */
final class SetValues {
  /** The most variables with sets that are followed. */
  private static final int MAX_SETS = 20;

  /** The most elements of all sets. */
  private static final int MAX_ELEMENTS = 100_000;

  private final Map<String, List<Set<Value>>> sets = new TreeMap<>();
  private final Map<String, TraitVocabulary.Variable> names = new TreeMap<>();
  private final TraitVocabulary vocabulary;
  private int elements;
  private int present;

  SetValues(TraitVocabulary vocabulary) {
    this.vocabulary = vocabulary;
  }

  /** Sets the node of the next changes. */
  void node(int node) {
    present = node;
  }

  void change(Event event, Change change) {
    if (!(change.value() instanceof SetValue changed)) {
      return;
    }
    String key = event.log() + "\n" + change.variable();
    if (!sets.containsKey(key) && sets.size() == MAX_SETS) {
      return;
    }
    names.putIfAbsent(key, new TraitVocabulary.Variable(event.log(), change.variable()));
    Set<Value> set = at(sets.computeIfAbsent(key, added -> new ArrayList<>()), present);
    switch (change.operation()) {
      case SET -> {
        set.clear();
        set.addAll(changed.elements());
      }
      case ADD -> {
        if (elements < MAX_ELEMENTS) {
          set.addAll(changed.elements());
          elements += changed.elements().size();
        }
      }
      case REMOVE -> set.removeAll(Set.copyOf(changed.elements()));
      case UNSET -> set.clear();
    }
  }

  private static Set<Value> at(List<Set<Value>> byNode, int node) {
    while (byNode.size() <= node) {
      byNode.add(new HashSet<>());
    }
    return byNode.get(node);
  }

  /** The sets of a node that starts or stops are empty. */
  void forget(int node) {
    sets.values().forEach(byNode -> at(byNode, node).clear());
  }

  /** Looks up a field of a log line in the sets of its log at its node. */
  void lookUp(VariableHistory field, int node, long hlc, RunTraits traits) {
    if (field.at(node) == NullValue.NULL) {
      return;
    }
    sets.forEach(
        (key, byNode) -> {
          TraitVocabulary.Variable name = names.get(key);
          if (name != null && name.log().equals(field.name().log())) {
            boolean isIn = at(byNode, node).contains(field.at(node));
            int set = vocabulary.number(name);
            traits.hold(TraitKind.LOOKED_UP, field.number(), set, hlc);
            if (!isIn) {
              traits.hold(TraitKind.MISSING, field.number(), set, hlc);
            }
          }
        });
  }
}
