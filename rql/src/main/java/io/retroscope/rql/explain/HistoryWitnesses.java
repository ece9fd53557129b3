// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A search for the events on which a predicate over GLOBALs rests. A GLOBAL depends on the cuts
 * before, so that events are removed from the history instead of values from the cut, until none of
 * the rest can be removed.
 */
final class HistoryWitnesses {
  /** The most events, the latest ones, among which the search is made. */
  static final int MAX_EVENTS = 2_000;

  private final ExplainedQuery query;
  private final View view;
  private final HlcRange range;

  /**
   * Creates a search.
   *
   * @param range from the first stamp of the query's range to the cut
   */
  HistoryWitnesses(ExplainedQuery query, View view, HlcRange range) {
    this.query = query;
    this.view = view;
    this.range = range;
  }

  /** Returns the witnesses; empty if the predicate rests on more events than are searched. */
  Optional<List<Witness>> of(String item) {
    List<Event> events = events();
    if (!holds(new HashSet<>(events), events, item)) {
      return Optional.empty();
    }
    List<Event> needed =
        Witnesses.needed(
            events,
            removed -> {
              query.work().add(events.size());
              Set<Event> rest = new HashSet<>(events);
              rest.removeAll(removed);
              return holds(rest, events, item);
            });
    return Optional.of(withContext(needed, events));
  }

  private List<Event> events() {
    Deque<Event> latest = new ArrayDeque<>();
    Set<String> logs = new HashSet<>();
    query.analyzed().query().logs().forEach(log -> logs.add(log.text()));
    Iterator<Event> events = view.scan(logs, range);
    while (events.hasNext()) {
      Event event = events.next();
      if (logs.contains(event.log()) && !written(event).isEmpty()) {
        latest.add(event);
        if (latest.size() > MAX_EVENTS) {
          latest.removeFirst();
        }
      }
    }
    return new ArrayList<>(latest);
  }

  private boolean holds(Set<Event> kept, List<Event> order, String item) {
    List<Event> some = order.stream().filter(kept::contains).toList();
    if (some.isEmpty()) {
      return false;
    }
    try (View subset = new InMemoryEventSource(some, ClockOffsets.UNKNOWN).open()) {
      CutProbe probe = CutProbe.at(query, subset, range.from(), range.to());
      return probe.questions().stream()
          .filter(question -> question.item().equals(item))
          .anyMatch(probe::holds);
    }
  }

  /** The changed variables that the query names; those of all if it has FOR EACH VARIABLE. */
  private List<String> written(Event event) {
    boolean all = query.analyzed().query().forEach().isPresent();
    List<String> names = new ArrayList<>();
    if (event.body() instanceof EventBody.StateChange state) {
      state.changes().forEach(change -> names.add(change.variable()));
    } else {
      names.addAll(MomentaryVariables.of(event.body()).keySet());
      if (event.body() instanceof EventBody.LogLine line) {
        names.addAll(line.fields().keySet());
      }
    }
    names.removeIf(
        name ->
            !all
                && !query
                    .analyzed()
                    .variables()
                    .contains(new Reference.Variable(event.log(), name)));
    return names;
  }

  /**
   * The values of the needed events, with the latest earlier ones of the other variables at their
   * nodes, which the same cuts read.
   */
  private List<Witness> withContext(List<Event> needed, List<Event> events) {
    Map<String, Witness> witnesses = new LinkedHashMap<>();
    for (Event event : needed) {
      Set<String> missing = new HashSet<>();
      events.stream()
          .filter(other -> other.node().equals(event.node()) && isState(other))
          .forEach(other -> missing.addAll(written(other)));
      int own = events.indexOf(event);
      for (int i = own; i >= 0; i--) {
        Event earlier = events.get(i);
        if (earlier.node().equals(event.node()) && (i == own || isState(earlier))) {
          for (String variable : written(earlier)) {
            if (missing.remove(variable) || i == own) {
              witnesses.putIfAbsent(
                  earlier.node() + "\0" + variable + "\0" + earlier.hlc(),
                  witness(earlier, variable));
            }
          }
        }
      }
    }
    return witnesses.values().stream().sorted(Comparator.comparingLong(Witness::since)).toList();
  }

  private static boolean isState(Event event) {
    return event.body() instanceof EventBody.StateChange;
  }

  /** A value at its stamp; whether it was replaced later does not matter to a GLOBAL. */
  private Witness witness(Event event, String variable) {
    return new Witness(
        event.node(),
        event.log(),
        variable,
        value(event, variable),
        event.hlc(),
        true,
        Optional.of(event));
  }

  private static Value value(Event event, String variable) {
    if (event.body() instanceof EventBody.StateChange state) {
      return state.changes().stream()
          .filter(change -> change.variable().equals(variable))
          .map(EventBody.Change::value)
          .findFirst()
          .orElseThrow();
    }
    Value momentary = MomentaryVariables.of(event.body()).get(variable);
    if (momentary != null) {
      return momentary;
    }
    return ((EventBody.LogLine) event.body()).fields().getOrDefault(variable, NullValue.NULL);
  }
}
