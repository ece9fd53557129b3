// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Analyzer;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.parser.RqlParser;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Compares witnesses with brute force: each value that is no witness is replaced by every value of
 * a small domain, and each smaller set of witnesses must fail for some replacement.
 */
class WitnessesTest {
  private static final List<String> NODES = List.of("a", "b", "c");

  /** Truth values for f, numbers for x and y, and nothing. */
  private static final Map<String, List<Value>> DOMAINS =
      Map.of(
          "f", List.of(NullValue.NULL, Value.of(true), Value.of(false)),
          "x", List.of(NullValue.NULL, Value.of(0), Value.of(2), Value.of(9)));

  /** Predicates whose parts do not depend on one another, for which the search is exact. */
  private static final List<String> PREDICATES =
      List.of(
          "COUNT n IN NODES : (f@n) >= 2",
          "COUNT n IN NODES : (f@n) < 2",
          "COUNT n IN NODES : (x@n >= 2) = 1",
          "EXISTS n IN NODES : (f@n AND x@n > 1)",
          "FORALL n IN NODES : (f@n OR x@n > 1)",
          "NOT EXISTS n IN NODES : (f@n)",
          "EXISTS v IN x : (v > 5)",
          "MAX(x) >= 9",
          "MIN(x) < 1",
          "SPREAD(x) >= 2",
          "MAX(x) - MIN(x) >= 7",
          "COUNT(x) >= 2",
          "COUNT(f) < 3",
          "x@a > x@b AND f@c",
          "f@a OR f@b OR x@c = 9",
          "x@a IS NULL",
          "x@b IS NOT NULL AND NOT f@b",
          "2 IN x",
          "Coalesce(x@a, 5) > 1",
          "f@a ? (x@b > 1) : (x@c > 1)",
          "COUNT(f) > 0 AND (COUNT n IN NODES : (x@n >= MAX(x))) < 2");

  /** Predicates of which a sufficient set is found that is not always minimal. */
  private static final Set<String> SHARED_PARTS =
      Set.of("MAX(x) - MIN(x) >= 7", "COUNT(f) > 0 AND (COUNT n IN NODES : (x@n >= MAX(x))) < 2");

  private final Set<String> seen = new HashSet<>();

  @Test
  void witnesses_sufficeWhateverTheOthersAreAndNoneCanBeOmitted() {
    long seed = 46;
    Random random = new Random(seed);
    for (int i = 0; i < 60; i++) {
      Map<String, Value> state = state(random);
      for (String predicate : PREDICATES) {
        check(
            predicate, state, "seed " + seed + ", state " + i + ": " + predicate + " in " + state);
      }
    }
    assertThat(seen).as("predicates that were TRUE").containsAll(PREDICATES);
  }

  private void check(String predicate, Map<String, Value> state, String description) {
    try (View view = new InMemoryEventSource(events(state), ClockOffsets.UNKNOWN).open()) {
      Probe probe = new Probe(predicate, view);
      if (!probe.isTrue(state)) {
        return;
      }
      seen.add(predicate);
      Set<String> witnesses = probe.witnesses();
      assertThat(probe.suffices(state, witnesses)).as(description + ": " + witnesses).isTrue();
      if (!SHARED_PARTS.contains(predicate)) {
        for (String witness : witnesses) {
          Set<String> fewer = new HashSet<>(witnesses);
          fewer.remove(witness);
          assertThat(probe.suffices(state, fewer))
              .as(description + ": " + witnesses + " without " + witness)
              .isFalse();
        }
      }
    }
  }

  private static Map<String, Value> state(Random random) {
    Map<String, Value> state = new TreeMap<>();
    DOMAINS.forEach(
        (variable, domain) ->
            NODES.forEach(
                node ->
                    state.put(variable + "@" + node, domain.get(random.nextInt(domain.size())))));
    return state;
  }

  /** Events that lead to a state, before which each variable was written and unset. */
  private static List<Event> events(Map<String, Value> state) {
    List<Event> events = new ArrayList<>();
    events.add(set("a", 1, List.of(change("f", Value.of(true)), change("x", Value.of(1)))));
    for (String node : NODES) {
      events.add(set(node, 2, List.of(change("z", Value.of(1)))));
    }
    long micros = 3;
    for (Map.Entry<String, Value> place : state.entrySet()) {
      String variable = place.getKey().substring(0, 1);
      String node = place.getKey().substring(2);
      boolean unset = place.getValue() instanceof NullValue;
      Change change =
          new Change(unset ? Operation.UNSET : Operation.SET, variable, place.getValue());
      events.add(set(node, micros++, List.of(change)));
    }
    return events;
  }

  private static Event set(String node, long micros, List<Change> changes) {
    return new Event(node, "t", HlcTimestamp.pack(micros), new StateChange(changes));
  }

  private static Change change(String variable, Value value) {
    return new Change(Operation.SET, variable, value);
  }

  /** A predicate at the last cut, evaluated as WHEN is. */
  private static final class Probe {
    private final CutProbe cut;
    private final CutProbe.Question question;
    private final View view;
    private final List<String> read = new ArrayList<>();

    Probe(String predicate, View view) {
      String text = "SELECT z FROM t WHEN " + predicate;
      Statement.Query query =
          (Statement.Query) new RqlParser().read(text).statement().orElseThrow();
      AnalyzedQuery analyzed =
          new Analyzer(Catalog.of(view), AnalysisLimits.DEFAULT).analyze(text, query);
      ExplainedQuery explained =
          new ExplainedQuery(text, analyzed, QueryLimits.DEFAULT, new WorkMeter(() -> false));
      this.view = view;
      this.cut = CutProbe.at(explained, view, 0, HlcTimestamp.pack(100));
      this.question = cut.questions().get(0);
      for (String variable : DOMAINS.keySet()) {
        if (Pattern.compile("\\b" + variable + "\\b").matcher(predicate).find()) {
          NODES.forEach(node -> read.add(variable + "@" + node));
        }
      }
    }

    Set<String> witnesses() {
      Expression predicate = cut.query().query().when().orElseThrow().predicate();
      return new Witnesses(cut, view)
          .of(question, predicate).stream()
              .map(witness -> witness.variable() + "@" + witness.node())
              .collect(Collectors.toSet());
    }

    boolean isTrue(Map<String, Value> state) {
      read.forEach(place -> show(place, state.get(place)));
      return cut.holds(question);
    }

    /** Whether the predicate is TRUE for all values of the other places. */
    boolean suffices(Map<String, Value> state, Set<String> witnesses) {
      isTrue(state);
      boolean suffices = sufficesFrom(read.stream().filter(p -> !witnesses.contains(p)).toList());
      isTrue(state);
      return suffices;
    }

    private boolean sufficesFrom(List<String> others) {
      if (others.isEmpty()) {
        return cut.holds(question);
      }
      for (Value value : DOMAINS.get(others.get(0).substring(0, 1))) {
        show(others.get(0), value);
        if (!sufficesFrom(others.subList(1, others.size()))) {
          return false;
        }
      }
      return true;
    }

    private void show(String place, Value value) {
      cut.state()
          .show(
              cut.state().follow("t", place.substring(0, 1)),
              cut.state().nodes().find(place.substring(2)),
              value instanceof NullValue ? null : value);
    }
  }
}
