// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import java.util.Set;

/**
 * Which traits of runs are collected. Immutable.
 *
 * @param hasEvidence whether those of which rules are made, see {@link Proposals}
 * @param names of the variables whose values alone are collected; empty for everything
 */
record TraitScope(boolean hasEvidence, Set<String> names) {
  /** What distinguishes runs. */
  static final TraitScope DISTINCTIONS = new TraitScope(false, Set.of());

  /** What distinguishes runs, and what rules are made of. */
  static final TraitScope PROPOSALS = new TraitScope(true, Set.of());

  /** The values of some variables. */
  static TraitScope valuesOf(Set<String> names) {
    return new TraitScope(false, names);
  }

  /** Copies the names. */
  TraitScope {
    names = Set.copyOf(names);
  }

  boolean hasRelations() {
    return names.isEmpty();
  }

  boolean includes(String variable) {
    return names.isEmpty() || names.contains(variable);
  }

  /** Whether an event is needed. */
  boolean includes(Event event) {
    EventBody body = event.body();
    if (names.isEmpty() || body instanceof EventBody.Start || body instanceof EventBody.Stop) {
      return true;
    }
    return body instanceof EventBody.StateChange state
        ? state.changes().stream().anyMatch(change -> names.contains(change.variable()))
        : body instanceof EventBody.LogLine line
            && line.fields().keySet().stream().anyMatch(names::contains);
  }
}
