// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.MomentaryVariables;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** A search for the events that could have made what THEN or AFTER expects TRUE. */
final class ExpectedWrites {
  /** The most events, the latest ones. */
  static final int MAX_EVENTS = 10;

  private final ExplainedQuery query;
  private final View view;

  ExpectedWrites(ExplainedQuery query, View view) {
    this.query = query;
    this.view = view;
  }

  /** The names of the variables that the expected predicate reads. */
  Set<String> names(Response response) {
    Set<String> names = new HashSet<>();
    variables(response).forEach(variable -> names.add(variable.name()));
    return names;
  }

  private Set<Reference.Variable> variables(Response response) {
    Set<Reference.Variable> found = new HashSet<>();
    for (Expression part : response.expected().thisAndAllBelow()) {
      query.analyzed().resolution().variable(part).ifPresent(found::add);
    }
    return found;
  }

  /** Returns the latest events of a range that write a variable of the expected predicate. */
  List<Event> of(Response response, HlcRange range) {
    Set<Reference.Variable> variables = variables(response);
    Set<String> logs = new HashSet<>();
    variables.forEach(variable -> logs.add(variable.log()));
    Deque<Event> latest = new ArrayDeque<>();
    Iterator<Event> events = view.scan(logs, range);
    while (events.hasNext()) {
      Event event = events.next();
      query.work().add(1);
      if (writes(event, variables)) {
        latest.add(event);
        if (latest.size() > MAX_EVENTS) {
          latest.removeFirst();
        }
      }
    }
    return List.copyOf(latest);
  }

  private static boolean writes(Event event, Set<Reference.Variable> variables) {
    if (event.body() instanceof EventBody.StateChange change) {
      return change.changes().stream()
          .anyMatch(c -> variables.contains(new Reference.Variable(event.log(), c.variable())));
    }
    return MomentaryVariables.of(event.body()).keySet().stream()
        .anyMatch(name -> variables.contains(new Reference.Variable(event.log(), name)));
  }
}
