// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The events before a stamp that set the state there: walks over them and all later events reach
 * the same values with the same ages. Used by one thread.
 */
public final class StateEvents {
  /*
   * Of each variable at a node the last SET or UNSET is kept, and the ADDs and REMOVEs after it: of
   * each element the last one. A SET of the value that the variable has is not, because the value's
   * age begins with the earlier one. An event that has an ADD or a REMOVE beside other changes is
   * refused as a whole if one of them fails, so that it depends on all of its variables: of these
   * everything is kept. A start or a stop ends the values of its node. Of a variable that no node
   * has then, a write before that is kept, because queries know it.
   */
  private static final Comparator<Event> BY_STAMP_AND_NODE =
      Comparator.comparingLong(Event::hlc).thenComparing(Event::node, NaturalOrder.INSTANCE);

  private final Map<String, NodeState> nodes = new HashMap<>();

  /** A write of each variable that a start or a stop has ended. */
  private final Map<Name, Event> ended = new HashMap<>();

  private StateEvents() {}

  /**
   * Returns the events, ordered by stamp, without sequence numbers: those in between are not lost.
   * Each node has a heartbeat where it was seen last, so that it is known to be silent or not.
   *
   * @param logs the logs of the state
   * @param counts the nodes of the state
   * @param hlc packed, above {@link HlcTimestamp#MIN_PACKED}
   */
  public static List<Event> before(
      View view, Set<String> logs, Predicate<String> counts, long hlc) {
    StateEvents state = new StateEvents();
    HlcRange range = new HlcRange(HlcTimestamp.MIN_PACKED, hlc - 1);
    Iterator<Event> events = view.scanRuns(logs, range);
    while (events.hasNext()) {
      Event event = events.next();
      if (counts.test(event.node())) {
        state.add(event.withoutSequence());
      }
    }
    view.sightings(range)
        .forEachRemaining(
            seen -> {
              if (counts.test(seen.node())) {
                state.node(seen.node()).see(seen);
              }
            });
    List<Event> kept = state.kept();
    kept.sort(BY_STAMP_AND_NODE);
    return kept;
  }

  private void add(Event event) {
    NodeState node = node(event.node());
    if (event.body() instanceof EventBody.Start start) {
      if (node.start(event, start.incarnation())) {
        end(node);
      }
    } else if (event.body() instanceof EventBody.Stop) {
      node.stop = event;
      end(node);
    } else if (event.body() instanceof EventBody.StateChange change) {
      node.add(event, change.changes());
    }
  }

  private void end(NodeState node) {
    node.variables.forEach((name, writes) -> ended.put(name, writes.any()));
    node.variables.clear();
  }

  private NodeState node(String name) {
    return nodes.computeIfAbsent(name, own -> new NodeState());
  }

  private List<Event> kept() {
    Set<Event> kept = new HashSet<>();
    nodes.values().forEach(node -> ended.keySet().removeAll(node.variables.keySet()));
    kept.addAll(ended.values());
    nodes.forEach(
        (name, node) -> {
          Stream.of(node.start, node.stop).flatMap(Stream::ofNullable).forEach(kept::add);
          node.variables.values().forEach(variable -> variable.addTo(kept));
          kept.add(new Event(name, "", node.seenHlc, new EventBody.Heartbeat(node.promise())));
        });
    return new ArrayList<>(kept);
  }

  private static boolean isOfElements(Change change) {
    return change.operation() == Operation.ADD || change.operation() == Operation.REMOVE;
  }

  private record Name(String log, String variable) {}

  private static final class NodeState {
    private String incarnation = "";
    private @Nullable Event start;
    private @Nullable Event stop;
    private final Map<Name, Writes> variables = new HashMap<>();
    private long seenHlc = HlcTimestamp.MIN_PACKED;
    private long assuredMicros;

    /** Begins a run, and returns whether it is another one than the present. */
    boolean start(Event event, String started) {
      boolean isOther = start == null || !started.equals(incarnation);
      if (isOther) {
        incarnation = started;
        start = event;
        stop = null;
      }
      return isOther;
    }

    void see(Sighting seen) {
      seenHlc = seen.hlc();
      assuredMicros = seen.assuredMicros();
    }

    long promise() {
      return EventSource.promiseMicros(assuredMicros);
    }

    void add(Event event, List<Change> changes) {
      boolean mayFail = changes.size() > 1 && changes.stream().anyMatch(StateEvents::isOfElements);
      boolean repeats = !mayFail && new HashSet<>(variables(changes)).size() < changes.size();
      for (Change change : changes) {
        Writes writes =
            variables.computeIfAbsent(
                new Name(event.log(), change.variable()), name -> new Writes());
        if (mayFail || repeats) {
          writes.keep(event);
        } else {
          writes.add(event, change);
        }
      }
    }

    private static List<String> variables(List<Change> changes) {
      return changes.stream().map(Change::variable).toList();
    }
  }

  /** The last change of an element. */
  private record OfElement(Operation operation, Event event) {}

  /** The events of a variable at a node that matter. */
  private static final class Writes {
    private @Nullable Event base;
    private @Nullable Value baseValue;
    private final Map<Value, OfElement> elements = new LinkedHashMap<>();

    /** The ADD that made it a set, which stays one without elements. */
    private @Nullable Event firstAdd;

    /** All events from the first one on that may fail. */
    private final List<Event> all = new ArrayList<>();

    void keep(Event event) {
      all.add(event);
    }

    void add(Event event, Change change) {
      if (!all.isEmpty()) {
        all.add(event);
      } else if (isOfElements(change)) {
        if (change.operation() == Operation.ADD && firstAdd == null) {
          firstAdd = event;
        }
        ((SetValue) change.value()).elements().forEach(e -> add(event, change.operation(), e));
      } else {
        Value value = change.operation() == Operation.SET ? change.value() : null;
        if (base == null || !Objects.equals(value, value())) {
          base = event;
          baseValue = value;
          elements.clear();
          firstAdd = null;
        }
      }
    }

    private void add(Event event, Operation operation, Value element) {
      OfElement before = elements.get(element);
      if (before == null || before.operation != operation) {
        elements.put(element, new OfElement(operation, event));
      }
    }

    /** The present value; null if there is none. */
    private @Nullable Value value() {
      boolean hasOther = baseValue != null && !(baseValue instanceof SetValue);
      if (elements.isEmpty() || hasOther) {
        return baseValue;
      }
      Set<Value> present =
          new HashSet<>(baseValue instanceof SetValue set ? set.elements() : List.of());
      elements.forEach(
          (element, last) -> {
            if (last.operation == Operation.ADD) {
              present.add(element);
            } else {
              present.remove(element);
            }
          });
      return baseValue != null || firstAdd != null ? new SetValue(new ArrayList<>(present)) : null;
    }

    /** One of the events that are kept. */
    Event any() {
      Set<Event> kept = new LinkedHashSet<>();
      addTo(kept);
      return kept.iterator().next();
    }

    void addTo(Set<Event> kept) {
      if (base != null) {
        kept.add(base);
      }
      if (firstAdd != null) {
        kept.add(firstAdd);
      }
      elements.values().forEach(element -> kept.add(element.event));
      kept.addAll(all);
    }
  }
}
