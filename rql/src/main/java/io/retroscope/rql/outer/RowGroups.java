// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.outer;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.rql.analysis.AnalyzedOuterQuery;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.RowAggregate;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The groups of GROUP BY in the order of their first rows, with their aggregates. */
final class RowGroups {
  private final AnalyzedOuterQuery query;
  private final List<Evaluator> keys;
  private final List<Evaluator> arguments;
  private final HeldRows held;
  private final Map<List<Value>, Group> groups = new LinkedHashMap<>();

  private record Group(List<Value> keys, List<RowAggregate> aggregates) {}

  /**
   * Creates the groups of a query; without GROUP BY there is one, even of no rows.
   *
   * @param translator translates expressions of single rows
   */
  RowGroups(AnalyzedOuterQuery query, Translator translator, HeldRows held) {
    this.query = query;
    this.held = held;
    this.keys = query.groupKeys().stream().map(translator::one).toList();
    this.arguments =
        query.aggregates().stream()
            .map(
                call ->
                    call.isOfAllRows()
                        ? (Evaluator) frame -> BooleanValue.TRUE
                        : translator.one(call.arguments().get(0)))
            .toList();
    if (keys.isEmpty()) {
      groups.put(List.of(), group(List.of()));
    }
  }

  private Group group(List<Value> values) {
    held.hold(values);
    Consumer<Value> kept = value -> held.hold(List.of(value));
    return new Group(
        values, query.aggregates().stream().map(call -> RowAggregate.of(call, kept)).toList());
  }

  /** Adds the row in the frame to its group. */
  void add(Frame frame) {
    List<Value> values = new ArrayList<>(keys.size());
    List<Value> equal = new ArrayList<>(keys.size());
    for (Evaluator key : keys) {
      Value value = key.value(frame);
      values.add(value);
      equal.add(Types.key(value));
    }
    Group group = groups.computeIfAbsent(equal, unused -> group(values));
    for (int i = 0; i < arguments.size(); i++) {
      add(group.aggregates().get(i), i, frame);
    }
  }

  private void add(RowAggregate aggregate, int index, Frame frame) {
    try {
      aggregate.add(arguments.get(index).value(frame));
    } catch (EvaluationException e) {
      throw e.at(call(index).range());
    }
  }

  private Expression call(int index) {
    return query.aggregates().get(index);
  }

  /** Sets the values of each group in the frame, one after the other, and calls the receiver. */
  void forEach(Frame frame, Runnable receiver) {
    int firstKey = query.input().size();
    int firstAggregate = firstKey + keys.size();
    for (Group group : groups.values()) {
      for (int i = 0; i < keys.size(); i++) {
        frame.set(firstKey + i, group.keys().get(i));
      }
      for (int i = 0; i < group.aggregates().size(); i++) {
        frame.set(firstAggregate + i, result(group.aggregates().get(i), i));
      }
      receiver.run();
    }
  }

  private Value result(RowAggregate aggregate, int index) {
    try {
      return aggregate.result();
    } catch (EvaluationException e) {
      throw e.at(call(index).range());
    }
  }
}
