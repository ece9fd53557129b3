package io.retroscope.blocks;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The state of a log, event by event: slow and obvious. */
final class NaiveState {
  /** By variable and node. */
  final Map<String, Map<String, Checkpoint.Held>> values = new TreeMap<>();

  private final Map<String, String> incarnations = new HashMap<>();

  void apply(Event event) {
    if (event.body() instanceof EventBody.Stop) {
      values.values().forEach(nodes -> nodes.remove(event.node()));
    } else if (event.body() instanceof EventBody.Start start) {
      if (!start.incarnation().equals(incarnations.put(event.node(), start.incarnation()))) {
        values.values().forEach(nodes -> nodes.remove(event.node()));
      }
    } else if (event.body() instanceof EventBody.StateChange state) {
      apply(event, state.changes());
    }
  }

  private void apply(Event event, List<Change> changes) {
    Map<String, Optional<Value>> next = new TreeMap<>();
    changes.forEach(change -> values.computeIfAbsent(change.variable(), name -> new TreeMap<>()));
    for (Operation operation : Operation.values()) {
      for (Change change : changes) {
        if (change.operation() == operation) {
          Value old =
              next.getOrDefault(change.variable(), held(change.variable(), event.node()))
                  .orElse(null);
          boolean rest = operation == Operation.ADD || operation == Operation.REMOVE;
          if (rest && old != null && !(old instanceof SetValue)) {
            return;
          }
          next.put(change.variable(), Optional.ofNullable(result(old, change)));
        }
      }
    }
    next.forEach((name, value) -> set(name, event, value));
  }

  private Optional<Value> held(String variable, String node) {
    return Optional.ofNullable(values.get(variable).get(node)).map(Checkpoint.Held::value);
  }

  private static @Nullable Value result(@Nullable Value old, Change change) {
    List<Value> elements =
        new ArrayList<>(old instanceof SetValue set ? set.elements() : List.of());
    return switch (change.operation()) {
      case SET -> change.value();
      case UNSET -> null;
      case ADD -> {
        elements.addAll(((SetValue) change.value()).elements());
        yield new SetValue(elements);
      }
      case REMOVE -> {
        elements.removeIf(((SetValue) change.value())::contains);
        yield old == null ? null : new SetValue(elements);
      }
    };
  }

  private void set(String name, Event event, Optional<Value> value) {
    Map<String, Checkpoint.Held> nodes = values.get(name);
    Checkpoint.Held old = nodes.get(event.node());
    if (value.isEmpty()) {
      nodes.remove(event.node());
    } else {
      boolean same = old != null && old.value().compareTo(value.get()) == 0;
      long changed = same ? old.changedAt() : event.hlc();
      nodes.put(event.node(), new Checkpoint.Held(value.get(), changed));
    }
  }

  /** The LONGs of a variable; empty if there is another value. */
  Optional<List<Long>> longs(String variable) {
    List<Long> longs = new ArrayList<>();
    for (Checkpoint.Held held : values.getOrDefault(variable, Map.of()).values()) {
      if (!(held.value() instanceof LongValue number)) {
        return Optional.empty();
      }
      longs.add(number.value());
    }
    return Optional.of(longs);
  }

  /** As a checkpoint returns it, by the names of nodes. */
  static Map<String, Checkpoint.Held> named(Map<Integer, Checkpoint.Held> byId, StoreNames names) {
    Map<String, Checkpoint.Held> byName = new TreeMap<>();
    byId.forEach((id, held) -> byName.put(names.nodes().name(id), held));
    return byName;
  }
}
