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
 * The global state at a stamp, made of the one before and the events in between. Nodes are ordered
 * by name, which for n1 to n9 is their natural order.
 */
final class NaiveState {
  final long hlc;
  final Map<String, TreeMap<String, Value>> values;
  final Map<String, Map<String, Long>> changedAt;
  final Map<String, Map<String, Long>> writtenAt;
  final TreeSet<String> nodes;
  final Set<String> touched = new TreeSet<>();
  private final Set<String> stateVariables;
  private final Map<String, String> incarnations;
  private final Map<String, Long> heardAt;

  /** The stamps of all events of each node, also of those to come. */
  private final Map<String, TreeSet<Long>> sightings;

  /** Creates a state of no event. */
  NaiveState(long hlc, Set<String> nodes, Map<String, TreeSet<Long>> sightings) {
    this.hlc = hlc;
    values = new HashMap<>();
    changedAt = new HashMap<>();
    writtenAt = new HashMap<>();
    this.nodes = new TreeSet<>(nodes);
    stateVariables = new TreeSet<>(Set.of("message", "fields", "send", "receive"));
    incarnations = new HashMap<>();
    heardAt = new HashMap<>();
    this.sightings = sightings;
  }

  /** Creates a state that has what another one has, at another stamp. */
  private NaiveState(NaiveState other, long hlc) {
    this.hlc = hlc;
    values = other.values;
    changedAt = other.changedAt;
    writtenAt = other.writtenAt;
    nodes = other.nodes;
    stateVariables = other.stateVariables;
    incarnations = other.incarnations;
    heardAt = other.heardAt;
    sightings = other.sightings;
  }

  /** Returns a copy that can be changed. */
  private NaiveState copy(long at) {
    NaiveState copy = new NaiveState(at, nodes, sightings);
    values.forEach((variable, ofNodes) -> copy.values.put(variable, new TreeMap<>(ofNodes)));
    changedAt.forEach((variable, ofNodes) -> copy.changedAt.put(variable, new HashMap<>(ofNodes)));
    writtenAt.forEach((variable, ofNodes) -> copy.writtenAt.put(variable, new HashMap<>(ofNodes)));
    copy.touched.addAll(touched);
    copy.stateVariables.addAll(stateVariables);
    copy.incarnations.putAll(incarnations);
    copy.heardAt.putAll(heardAt);
    return copy;
  }

  /** Returns the state at a later stamp, after the next events, none of which is later. */
  NaiveState after(List<Event> next, long at) {
    if (next.isEmpty()) {
      return seenAt(at);
    }
    NaiveState state = copy(at);
    next.forEach(state::apply);
    return state;
  }

  /**
   * Returns this state with AT LIVE NODES: without nodes that were silent for too long.
   *
   * @param before the state just before this stamp
   * @param inclusive whether this state includes the events of its stamp
   * @param idleMicros how long a node may be silent
   */
  NaiveState live(NaiveState before, boolean inclusive, long idleMicros) {
    NaiveState state = copy(hlc);
    for (String node : heardAt.keySet()) {
      boolean isLive = isLive(node, inclusive ? hlc : hlc - 1, idleMicros);
      boolean wasLive = before.isLive(node, hlc - 1, idleMicros);
      for (String variable : new ArrayList<>(state.values.keySet())) {
        if (inclusive && isLive != wasLive && before.of(variable).containsKey(node)) {
          state.touched.add(variable);
        }
        if (!isLive) {
          state.of(variable).remove(node);
        }
      }
      if (!isLive) {
        state.nodes.remove(node);
      }
    }
    return state;
  }

  /** Returns the same values, with ages measured at another stamp. */
  NaiveState seenAt(long other) {
    return new NaiveState(this, other);
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
