// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Interest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a walk uses, in a form that can be sent to other servers. Immutable.
 *
 * @param unused the variables of each log whose values are not used; others may be
 */
record Selection(Set<String> logs, Map<String, Set<String>> unused, boolean usesAges)
    implements Interest {
  /** The number of unused variables of a log from which on they are not listed. */
  private static final int MAX_UNUSED = 1_000;

  /** Copies the collections. */
  Selection {
    logs = Set.copyOf(logs);
    unused = Map.copyOf(unused);
  }

  /** All events of some logs. */
  static Selection all(Set<String> logs) {
    return new Selection(logs, Map.of(), true);
  }

  /** The events that an interest needs, of the known logs. */
  static Selection of(Interest interest, List<LogDescription> known) {
    Map<String, Set<String>> unused = new HashMap<>();
    for (LogDescription log : known) {
      if (interest.logs().contains(log.name())) {
        Set<String> own =
            log.variables().stream()
                .filter(variable -> !interest.follows(log.name(), variable))
                .collect(Collectors.toSet());
        unused.put(log.name(), own.size() > MAX_UNUSED ? Set.of() : own);
      }
    }
    return new Selection(interest.logs(), unused, interest.usesAges());
  }

  @Override
  public boolean follows(String log, String variable) {
    return !unused.getOrDefault(log, Set.of()).contains(variable);
  }

  /** Nodes are not selected: a walk does that by itself. */
  @Override
  public boolean counts(String node) {
    return true;
  }

  @Override
  public boolean isCancelled() {
    return false;
  }
}
