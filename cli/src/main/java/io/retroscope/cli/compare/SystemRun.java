// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.compare;

import io.retroscope.cli.compare.Step.Kind;
import io.retroscope.cli.compare.Step.Part;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.json.EventConsumer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The steps of a run's nodes, each in the order of the node's stamps. Heartbeats and log lines are
 * no steps. Used by one thread.
 */
public final class SystemRun implements EventConsumer {
  /** The maximum number of steps of a run, some 100 bytes each. */
  static final int MAX_STEPS = 5_000_000;

  private final Set<String> variables;
  private final int maxSteps;
  private final SortedMap<String, List<Step>> nodes = new TreeMap<>(NaturalOrder.INSTANCE);
  private final RunLosses losses = new RunLosses();
  private int steps;
  private boolean ordered = true;

  /**
   * Creates a run without steps.
   *
   * @param variables those to compare, as {@code log.variable}; empty for all, and messages
   */
  public SystemRun(Set<String> variables) {
    this(variables, MAX_STEPS);
  }

  SystemRun(Set<String> variables, int maxSteps) {
    this.variables = Set.copyOf(variables);
    this.maxSteps = maxSteps;
  }

  /**
   * Takes the next event.
   *
   * @throws EventFileException if there are too many
   */
  @Override
  public void event(Event event) {
    losses.event(event);
    List<Part> parts = event.body().accept(new Parts(event.log()));
    if (parts.isEmpty()) {
      return;
    }
    if (steps++ == maxSteps) {
      throw new EventFileException(
          "a run has more than %,d events to compare: name variables with --on, or import it"
              .formatted(maxSteps));
    }
    ordered = false;
    nodes
        .computeIfAbsent(event.node(), node -> new ArrayList<>())
        .add(new Step(event.hlc(), parts));
  }

  @Override
  public void gap(Gap gap) {
    losses.gap(gap);
  }

  @Override
  public void incomplete(Incompleteness reason) {
    losses.incomplete(reason);
  }

  /** The sentences about events that may be missing. */
  List<String> losses() {
    return losses.sentences();
  }

  /** The steps by node, in natural order. */
  SortedMap<String, List<Step>> nodes() {
    if (!ordered) {
      nodes.values().forEach(list -> list.sort(Comparator.comparingLong(Step::hlc)));
      ordered = true;
    }
    return nodes;
  }

  int steps() {
    return steps;
  }

  /** The packed stamp of the first step, 0 without one. */
  long start() {
    return nodes().values().stream().mapToLong(list -> list.get(0).hlc()).min().orElse(0);
  }

  /** The values of the compared variables at every node, below a stamp. */
  StructValue stateBefore(long hlc) {
    Map<String, Map<String, Value>> state = new TreeMap<>(NaturalOrder.INSTANCE);
    nodes()
        .forEach(
            (node, list) -> {
              for (Step step : list) {
                if (step.hlc() < hlc) {
                  step.parts().forEach(part -> apply(part, node, state));
                }
              }
            });
    Map<String, Value> values = new LinkedHashMap<>();
    state.forEach((name, byNode) -> values.put(name, new StructValue(byNode)));
    return new StructValue(values);
  }

  private static void apply(Part part, String node, Map<String, Map<String, Value>> state) {
    switch (part.kind()) {
      case SET, ADD, REMOVE -> {
        Map<String, Value> byNode =
            state.computeIfAbsent(part.name(), name -> new TreeMap<>(NaturalOrder.INSTANCE));
        byNode.put(node, changed(part, byNode.getOrDefault(node, NullValue.NULL)));
      }
      case UNSET -> state.getOrDefault(part.name(), new TreeMap<>()).remove(node);
      case START, STOP -> state.values().forEach(byNode -> byNode.remove(node));
      case SEND, RECEIVE -> {}
    }
  }

  private static Value changed(Part part, Value before) {
    if (part.kind() == Kind.SET || !(part.value() instanceof SetValue change)) {
      return part.value();
    }
    List<Value> elements =
        new ArrayList<>(before instanceof SetValue set ? set.elements() : List.of());
    if (part.kind() == Kind.ADD) {
      elements.addAll(change.elements());
    } else {
      elements.removeAll(change.elements());
    }
    return new SetValue(elements);
  }

  /** The parts of an event that are compared. */
  private final class Parts implements EventBody.Visitor<List<Part>> {
    private final String log;

    Parts(String log) {
      this.log = log;
    }

    @Override
    public List<Part> stateChange(EventBody.StateChange state) {
      List<Part> parts = new ArrayList<>();
      for (EventBody.Change change : state.changes()) {
        String name = log + "." + change.variable();
        if (variables.isEmpty() || variables.contains(name)) {
          parts.add(new Part(Kind.valueOf(change.operation().name()), name, change.value()));
        }
      }
      parts.sort(Comparator.comparing(Part::name).thenComparing(Part::kind));
      return List.copyOf(parts);
    }

    @Override
    public List<Part> logLine(EventBody.LogLine line) {
      return List.of();
    }

    @Override
    public List<Part> send(EventBody.Send send) {
      return unlessVariables(Kind.SEND, log, Value.of(send.to()));
    }

    @Override
    public List<Part> receive(EventBody.Receive receive) {
      return unlessVariables(Kind.RECEIVE, log, Value.of(receive.from()));
    }

    @Override
    public List<Part> heartbeat(EventBody.Heartbeat heartbeat) {
      return List.of();
    }

    @Override
    public List<Part> start(EventBody.Start start) {
      return unlessVariables(Kind.START, "", NullValue.NULL);
    }

    @Override
    public List<Part> stop(EventBody.Stop stop) {
      return unlessVariables(Kind.STOP, "", NullValue.NULL);
    }

    private List<Part> unlessVariables(Kind kind, String name, Value value) {
      return variables.isEmpty() ? List.of(new Part(kind, name, value)) : List.of();
    }
  }
}
