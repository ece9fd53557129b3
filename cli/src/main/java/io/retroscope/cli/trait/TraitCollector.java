// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.cli.compare.RunLosses;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A reader of the events of one run, which finds its traits. The events are taken in the order of
 * their stamps; those of one stamp are one cut. Used by one thread.
 */
final class TraitCollector implements EventConsumer {
  /** The most events of a run. */
  static final int MAX_EVENTS = 2_000_000;

  /** The most values whose order and coincidence are followed. */
  static final int MAX_ATOMS = 160;

  /** The most variables that are followed. */
  static final int MAX_VARIABLES = 2_000;

  private final TraitVocabulary vocabulary;
  private final TraitScope scope;
  private final RunLosses losses = new RunLosses();
  private final RunTraits traits = new RunTraits();
  private final List<Event> events = new ArrayList<>();
  private final Map<String, Integer> nodes = new LinkedHashMap<>();
  private final Map<TraitVocabulary.Variable, VariableHistory> variables = new LinkedHashMap<>();
  private final List<ValueHistory> atoms = new ArrayList<>();
  private final List<Written> written = new ArrayList<>();
  private final List<Written> momentary = new ArrayList<>();
  private final Coincidences coincidences = new Coincidences(MAX_ATOMS);
  private final SignsOfNodes signs = new SignsOfNodes();
  private final MessageTimes messages = new MessageTimes();
  private final FieldValues fields = new FieldValues();
  private final SetValues sets;
  private final NumberRelations relations = new NumberRelations(traits);

  /** Whether there are more variables than are followed. */
  private boolean isCut;

  /** A variable that was written at a node in the present cut. */
  private record Written(VariableHistory variable, int node) {}

  TraitCollector(TraitVocabulary vocabulary, TraitScope scope) {
    this.scope = scope;
    this.vocabulary = vocabulary;
    this.sets = new SetValues(vocabulary);
  }

  /**
   * Takes the next event, in any order.
   *
   * @throws EventFileException if there are too many
   */
  @Override
  public void event(Event event) {
    losses.event(event);
    if (!scope.includes(event)) {
      return;
    }
    if (events.size() == MAX_EVENTS) {
      throw new EventFileException(
          "a run has more than %,d events: divide it, or leave out logs".formatted(MAX_EVENTS));
    }
    events.add(event);
  }

  @Override
  public void gap(Gap gap) {
    losses.gap(gap);
  }

  @Override
  public void incomplete(Incompleteness reason) {
    losses.incomplete(reason);
  }

  /** Returns the traits of the events. */
  RunTraits finish() {
    events.sort(Comparator.comparingLong(Event::hlc));
    long last = 0;
    for (int i = 0; i < events.size(); i++) {
      Event event = events.get(i);
      take(event);
      last = event.hlc();
      if (i + 1 == events.size() || events.get(i + 1).hlc() != last) {
        cut(last);
      }
    }
    traits.range(events.isEmpty() ? 0 : events.get(0).hlc(), last);
    end(last);
    if (!losses.sentences().isEmpty()) {
      traits.addLoss();
    }
    return traits;
  }

  private void take(Event event) {
    int node = nodes.computeIfAbsent(event.node(), name -> nodes.size());
    sets.node(node);
    signs.sign(node, event.hlc());
    EventBody body = event.body();
    if (body instanceof EventBody.StateChange state) {
      for (EventBody.Change change : state.changes()) {
        boolean isSet = change.operation() == EventBody.Operation.SET;
        boolean isUnset = change.operation() == EventBody.Operation.UNSET;
        if (scope.hasEvidence()) {
          sets.change(event, change);
        }
        if (isSet || isUnset) {
          write(event, node, change.variable(), isSet ? change.value() : NullValue.NULL);
        }
      }
    } else if (body instanceof EventBody.LogLine line) {
      int before = written.size();
      line.fields().forEach((field, value) -> write(event, node, field, value));
      if (scope.hasEvidence()) {
        fields.line(event, line);
      }
      momentary.addAll(written.subList(before, written.size()));
    } else if (body instanceof EventBody.Start || body instanceof EventBody.Stop) {
      forget(node, event.hlc(), body instanceof EventBody.Stop);
    } else if (body instanceof EventBody.Heartbeat heartbeat) {
      signs.promised(node, heartbeat.promiseMicros());
    } else if (body instanceof EventBody.Send send) {
      messages.sent(event, send);
    } else if (body instanceof EventBody.Receive receive) {
      messages.received(event, receive);
    }
  }

  private void write(Event event, int node, String name, Value value) {
    if (!scope.includes(name)) {
      return;
    }
    TraitVocabulary.Variable key = new TraitVocabulary.Variable(event.log(), name);
    VariableHistory variable = variables.get(key);
    if (variable == null) {
      if (variables.size() == MAX_VARIABLES) {
        isCut = true;
        return;
      }
      variable = new VariableHistory(key, vocabulary.number(key));
      variables.put(key, variable);
    }
    signs.variable(node, variable.number());
    variable.set(node, value, event.hlc(), this::history);
    written.add(new Written(variable, node));
  }

  private ValueHistory history(VariableHistory variable, Value value) {
    int atom = vocabulary.number(new TraitVocabulary.Atom(variable.name(), value));
    ValueHistory history = new ValueHistory(atoms.size(), atom);
    atoms.add(history);
    return history;
  }

  /** The variables of a node that starts or stops have no values. */
  private void forget(int node, long hlc, boolean stops) {
    for (VariableHistory variable : variables.values()) {
      if (variable.at(node) != NullValue.NULL) {
        variable.set(node, NullValue.NULL, hlc, this::history);
        written.add(new Written(variable, node));
      }
    }
    sets.forget(node);
    if (stops) {
      signs.stopped(node);
    }
  }

  private void cut(long hlc) {
    for (Written write : written) {
      write.variable().cut(write.node(), hlc, traits);
    }
    for (Written write : written) {
      write.variable().cut(hlc, traits);
      if (scope.hasRelations()) {
        relations.cut(write.variable(), write.node(), hlc, variables.values());
      }
      for (ValueHistory value : write.variable().values()) {
        if (value.isAt(write.node())) {
          coincidences.add(value, write.node(), hlc, variables.values(), nodes.size());
        }
      }
    }
    written.clear();
    for (Written line : momentary) {
      if (scope.hasEvidence()) {
        sets.lookUp(line.variable(), line.node(), hlc, traits);
      }
      line.variable().set(line.node(), NullValue.NULL, hlc, this::history);
      line.variable().cut(hlc, traits);
    }
    momentary.clear();
  }

  private void end(long hlc) {
    variables.values().forEach(variable -> variable.end(hlc, traits));
    int[] numbers =
        nodes.keySet().stream()
            .mapToInt(name -> vocabulary.number(new TraitVocabulary.Name(name)))
            .toArray();
    List<ValueHistory> seen = new ArrayList<>();
    for (VariableHistory variable : variables.values()) {
      for (ValueHistory value : variable.values()) {
        if (value.wasSeen()) {
          value.addTo(traits, numbers);
          seen.add(value);
        }
      }
    }
    atoms.stream()
        .filter(value -> !coincidences.follows(value))
        .forEach(value -> traits.addUnfollowed(value.atom()));
    if (isCut) {
      traits.followOnly(
          variables.values().stream().map(VariableHistory::number).collect(Collectors.toSet()));
    }
    coincidences.addTo(traits, seen);
    addOrder(seen, numbers.length);
    signs.addTo(traits, numbers, hlc);
    messages.addTo(traits, vocabulary, hlc);
    fields.addTo(traits, vocabulary);
    relations.addTo(traits);
  }

  /** Adds which values came before which. */
  private void addOrder(List<ValueHistory> seen, int nodeCount) {
    for (ValueHistory value : seen) {
      for (ValueHistory other : seen) {
        if (value == other || !coincidences.follows(value) || !coincidences.follows(other)) {
          continue;
        }
        if (value.first() < other.first()) {
          traits.hold(TraitKind.NOT_AFTER, value.atom(), other.atom(), value.first());
        }
        for (int node = 0; node < nodeCount; node++) {
          long at = value.firstAt(node);
          if (at != Long.MAX_VALUE && at < other.firstAt(node)) {
            traits.hold(TraitKind.NODE_NOT_AFTER, value.atom(), other.atom(), at);
          }
        }
      }
    }
  }
}
