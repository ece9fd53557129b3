// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A search for the values on which a predicate rests: a minimal set of places whose values make it
 * TRUE whatever all other values are. Of several minimal sets it finds the one with the latest
 * writes.
 */
final class Witnesses {
  private final CutProbe probe;
  private final View view;

  Witnesses(CutProbe probe, View view) {
    this.probe = probe;
    this.view = view;
  }

  /**
   * Returns the witnesses of a predicate, in the order of their writes; for FOR EACH VALUE also
   * those of the element's presence.
   */
  List<Witness> of(CutProbe.Question question, Expression predicate) {
    PartialEvaluation evaluation =
        new PartialEvaluation(probe, question.frame(), question.variable());
    Set<Place> all = new HashSet<>(evaluation.places(predicate));
    Optional<Expression> collection =
        probe
            .query()
            .query()
            .forEach()
            .flatMap(ForEach::collection)
            .filter(e -> !(e instanceof Expression.Nodes));
    collection.ifPresent(e -> all.addAll(evaluation.places(e)));
    Predicate<Set<Place>> dispensable =
        removed ->
            evaluation.isTrue(predicate, removed)
                && (collection.isEmpty()
                    || evaluation.contains(collection.get(), question.element(), removed));
    List<Place> oldestFirst = new ArrayList<>(all);
    oldestFirst.sort(
        Comparator.comparingLong(this::since)
            .thenComparing(place -> probe.state().nodes().name(place.node()))
            .thenComparingInt(place -> place.column().index()));
    return needed(oldestFirst, dispensable).stream()
        .sorted(Comparator.comparingLong(this::since))
        .map(this::witness)
        .toList();
  }

  /**
   * Returns the elements that cannot be removed one by one, the first ones first. Halves are tried
   * before single elements, which does not change the result if a superset of a sufficient set is
   * sufficient.
   *
   * @param dispensable whether a set of elements can be removed
   */
  static <T> List<T> needed(List<T> elements, Predicate<Set<T>> dispensable) {
    Set<T> removed = new HashSet<>();
    List<T> needed = new ArrayList<>();
    remove(elements, dispensable, removed, needed);
    return needed;
  }

  private static <T> void remove(
      List<T> part, Predicate<Set<T>> dispensable, Set<T> removed, List<T> needed) {
    if (part.isEmpty()) {
      return;
    }
    Set<T> more = new HashSet<>(removed);
    more.addAll(part);
    if (dispensable.test(more)) {
      removed.addAll(part);
    } else if (part.size() == 1) {
      needed.add(part.get(0));
    } else {
      int middle = part.size() / 2;
      remove(part.subList(0, middle), dispensable, removed, needed);
      remove(part.subList(middle, part.size()), dispensable, removed, needed);
    }
  }

  private long since(Place place) {
    return place.column().isSet(place.node())
        ? place.column().changedAt(place.node())
        : HlcTimestamp.MIN_PACKED;
  }

  private Witness witness(Place place) {
    String node = probe.state().nodes().name(place.node());
    Value value = place.column().at(place.node());
    long since = since(place);
    boolean momentary = value != null && !place.column().holdsState();
    return new Witness(
        node,
        place.column().log(),
        place.column().name(),
        value == null ? NullValue.NULL : value,
        since,
        momentary,
        value == null ? Optional.empty() : writer(node, place, since));
  }

  /** The event of a node at a stamp that gave a variable its value. */
  private Optional<Event> writer(String node, Place place, long since) {
    Iterator<Event> events = view.scan(Set.of(place.column().log()), new HlcRange(since, since));
    Optional<Event> found = Optional.empty();
    while (events.hasNext()) {
      Event event = events.next();
      if (event.node().equals(node)
          && event.log().equals(place.column().log())
          && mayWrite(event.body(), place.column().name())) {
        found = Optional.of(event);
      }
    }
    return found;
  }

  private static boolean mayWrite(EventBody body, String variable) {
    return !(body instanceof EventBody.StateChange change)
        || change.changes().stream().anyMatch(c -> c.variable().equals(variable));
  }
}
