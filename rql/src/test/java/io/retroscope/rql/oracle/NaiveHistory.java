// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.event.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The states of a list of events at any stamps. It keeps those that were needed, so that a walk
 * takes one pass over the events, and further ones take none.
 */
final class NaiveHistory {
  private final TreeMap<Long, List<Event>> events = new TreeMap<>();
  private final Map<String, TreeSet<Long>> sightings = new HashMap<>();

  /** By the nodes of a query, which are empty for all: the states just before stamps. */
  private final Map<Set<String>, TreeMap<Long, NaiveState>> before = new HashMap<>();

  private final Map<Stamp, NaiveState> after = new HashMap<>();

  /** A stamp of a query. */
  private record Stamp(long hlc, Set<String> only) {}

  NaiveHistory(List<Event> all) {
    for (Event event : all) {
      events.computeIfAbsent(event.hlc(), stamp -> new ArrayList<>()).add(event);
      sightings.computeIfAbsent(event.node(), node -> new TreeSet<>()).add(event.hlc());
    }
  }

  /** All events, in the order of their stamps. */
  List<Event> events() {
    return events.values().stream().flatMap(List::stream).toList();
  }

  /**
   * Returns the state at a stamp.
   *
   * @param inclusive whether the events of the stamp itself are included
   * @param only the nodes of the query, all if there is none
   */
  NaiveState at(long hlc, boolean inclusive, Set<String> only) {
    Set<String> nodes = Set.copyOf(only);
    return inclusive
        ? after.computeIfAbsent(
            new Stamp(hlc, nodes),
            stamp -> before(hlc, nodes).after(between(hlc, hlc, true, nodes), hlc))
        : before(hlc, nodes);
  }

  private NaiveState before(long hlc, Set<String> only) {
    TreeMap<Long, NaiveState> states = before.computeIfAbsent(only, this::start);
    Map.Entry<Long, NaiveState> last = states.floorEntry(hlc);
    if (last.getKey() == hlc) {
      return last.getValue();
    }
    NaiveState state = last.getValue().after(between(last.getKey(), hlc, false, only), hlc);
    states.put(hlc, state);
    return state;
  }

  private TreeMap<Long, NaiveState> start(Set<String> only) {
    TreeMap<Long, NaiveState> states = new TreeMap<>();
    states.put(Long.MIN_VALUE, new NaiveState(Long.MIN_VALUE, only, sightings));
    return states;
  }

  private List<Event> between(long from, long to, boolean inclusive, Set<String> only) {
    return events.subMap(from, true, to, inclusive).values().stream()
        .flatMap(List::stream)
        .filter(event -> only.isEmpty() || only.contains(event.node()))
        .toList();
  }
}
