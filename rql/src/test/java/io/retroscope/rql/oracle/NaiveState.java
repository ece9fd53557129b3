// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The global state at a stamp, computed from all events from the first one on. Nodes are ordered by
 * name, which for n1 to n9 is their natural order.
 */
final class NaiveState {
  final long hlc;
  final Map<String, TreeMap<String, Value>> values = new HashMap<>();
  final Map<String, Map<String, Long>> changedAt = new HashMap<>();
  final Map<String, Map<String, Long>> writtenAt = new HashMap<>();
  final TreeSet<String> nodes = new TreeSet<>();
  final Set<String> touched = new TreeSet<>();
  private final Set<String> stateVariables =
      new TreeSet<>(Set.of("message", "fields", "send", "receive"));
  private final Map<String, String> incarnations = new HashMap<>();
  private final Map<String, Long> heardAt = new HashMap<>();

  /** The stamps of all events of each node, also of those to come. */
  private final Map<String, TreeSet<Long>> sightings = new HashMap<>();

  private NaiveState(long hlc) {
    this.hlc = hlc;
  }

  /**
   * Returns the state at a stamp.
   *
   * @param inclusive whether the events of the stamp itself are included
   */
  static NaiveState at(List<Event> events, long hlc, boolean inclusive, Set<String> only) {
    NaiveState state = new NaiveState(hlc);
    state.nodes.addAll(only);
    for (Event event : events) {
      state.sightings.computeIfAbsent(event.node(), n -> new TreeSet<>()).add(event.hlc());
      boolean before = event.hlc() < hlc || (inclusive && event.hlc() == hlc);
      if (before && (only.isEmpty() || only.contains(event.node()))) {
        state.apply(event);
      }
    }
    return state;
  }

  /**
   * Returns the state at a stamp with AT LIVE NODES: without nodes that were silent for too long.
   *
   * @param idleMicros how long a node may be silent
   */
  static NaiveState live(List<Event> events, long hlc, boolean inclusive, long idleMicros) {
    NaiveState state = at(events, hlc, inclusive, Set.of());
    NaiveState before = at(events, hlc, false, Set.of());
    for (String node : state.heardAt.keySet()) {
      boolean isLive = state.isLive(node, inclusive ? hlc : hlc - 1, idleMicros);
      boolean wasLive = before.isLive(node, hlc - 1, idleMicros);
      for (String variable : new ArrayList<>(state.values.keySet())) {
        if (inclusive && isLive != wasLive && before.of(variable).containsKey(node)) {
          state.touched.add(variable);
        }
        if (!isLive) {
          state.of(variable).remove(node);
        }
      }
      if (isLive) {
        state.nodes.add(node);
      } else {
        state.nodes.remove(node);
      }
    }
    return state;
  }

  /** Returns the same values, with ages measured at another stamp. */
  NaiveState seenAt(long other) {
    NaiveState seen = new NaiveState(other);
    seen.values.putAll(values);
    seen.changedAt.putAll(changedAt);
    seen.writtenAt.putAll(writtenAt);
    seen.sightings.putAll(sightings);
    seen.nodes.addAll(nodes);
    return seen;
  }

  private boolean isLive(String node, long at, long idleMicros) {
    return heardAt.containsKey(node)
        && at < HlcTimestamp.pack(HlcTimestamp.micros(heardAt.get(node)) + idleMicros);
  }

  /** The time since a node was last seen; 0 if it is seen again within 100 ms of that. */
  long silenceMicros(String node) {
    Long last = sightings.get(node).floor(hlc);
    Long next = sightings.get(node).higher(hlc);
    boolean isSeen =
        last == null
            || (next != null && HlcTimestamp.micros(next) - HlcTimestamp.micros(last) <= 100_000);
    return isSeen ? 0 : HlcTimestamp.micros(hlc) - HlcTimestamp.micros(last);
  }

  Map<String, Value> of(String variable) {
    return values.computeIfAbsent(variable, v -> new TreeMap<>());
  }

  private void apply(Event event) {
    String node = event.node();
    heardAt.merge(node, event.hlc(), Math::max);
    nodes.add(node);
    if (event.body() instanceof EventBody.Stop) {
      unsetAll(event);
    } else if (event.body() instanceof EventBody.Start start) {
      if (!start.incarnation().equals(incarnations.put(node, start.incarnation()))) {
        unsetAll(event);
      }
    } else if (event.body() instanceof EventBody.LogLine line) {
      flash("message", event, Value.of(line.message()));
      if (!line.fields().isEmpty()) {
        flash("fields", event, new StructValue(line.fields()));
        line.fields()
            .forEach(
                (name, value) -> {
                  if (!stateVariables.contains(name)) {
                    flash(name, event, value);
                  }
                });
      }
    } else if (event.body() instanceof EventBody.Send send) {
      flash("send", event, message("to", send.to(), send.id()));
    } else if (event.body() instanceof EventBody.Receive receive) {
      flash("receive", event, message("from", receive.from(), receive.id()));
    } else if (event.body() instanceof EventBody.StateChange change) {
      changes(event, change.changes());
    }
  }

  private static Value message(String peerField, String peer, String id) {
    Map<String, Value> fields = new LinkedHashMap<>();
    fields.put(peerField, Value.of(peer));
    fields.put("id", Value.of(id));
    return new StructValue(fields);
  }

  /** Sets a value that holds at exactly its stamp. */
  private void flash(String variable, Event event, Value value) {
    if (event.hlc() == hlc) {
      Value old = of(variable).get(event.node());
      put(variable, event, value);
      noteChange(variable, event, old);
    }
  }

  private void unsetAll(Event event) {
    for (String variable : new ArrayList<>(values.keySet())) {
      if (of(variable).remove(event.node()) != null && event.hlc() == hlc) {
        touched.add(variable);
      }
    }
  }

  /** Applies the changes of an event at once: only the last value of a variable was ever there. */
  private void changes(Event event, List<Change> changes) {
    Map<String, Value> before = new HashMap<>();
    for (Change change : changes) {
      before.put(change.variable(), of(change.variable()).get(event.node()));
      stateVariables.add(change.variable());
    }
    for (Operation operation : Operation.values()) {
      for (Change change : changes) {
        if (change.operation() == operation) {
          Value old = of(change.variable()).get(event.node());
          switch (operation) {
            case SET -> put(change.variable(), event, change.value());
            case UNSET -> remove(change.variable(), event);
            case ADD -> put(change.variable(), event, combined(old, change.value(), true));
            case REMOVE -> {
              if (old == null) {
                remove(change.variable(), event);
              } else {
                put(change.variable(), event, combined(old, change.value(), false));
              }
            }
          }
        }
      }
    }
    before.forEach((variable, old) -> noteChange(variable, event, old));
  }

  private static Value combined(Value old, Value change, boolean add) {
    List<Value> elements = new ArrayList<>(old == null ? List.of() : ((SetValue) old).elements());
    for (Value element : ((SetValue) change).elements()) {
      elements.removeIf(e -> e.compareTo(element) == 0);
      if (add) {
        elements.add(element);
      }
    }
    return new SetValue(elements);
  }

  private void remove(String variable, Event event) {
    of(variable).remove(event.node());
    touch(variable, event);
  }

  private void put(String variable, Event event, Value value) {
    of(variable).put(event.node(), value);
    touch(variable, event);
  }

  private void noteChange(String variable, Event event, Value old) {
    Value value = of(variable).get(event.node());
    writtenAt.computeIfAbsent(variable, v -> new HashMap<>()).put(event.node(), event.hlc());
    if (value != null && (old == null || old.compareTo(value) != 0)) {
      changedAt.computeIfAbsent(variable, v -> new HashMap<>()).put(event.node(), event.hlc());
    }
  }

  private void touch(String variable, Event event) {
    if (event.hlc() == hlc) {
      touched.add(variable);
    }
  }
}
