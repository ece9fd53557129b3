// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.response;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.OpenItems;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Set;

/**
 * A warning that THEN may take the answer to one request for that to another, given at the first
 * trigger that is a log line, a message or an element of a set. Used by one thread.
 */
final class AnswerDoubt {
  private final Set<Reference.Variable> items;

  /** The variables that THEN names; a set among them is compared as a whole. */
  private final Set<Reference.Variable> expected;

  private final CutState state;
  private final RowSink sink;
  private boolean isOpen;

  AnswerDoubt(BoundPlan plan, RowSink sink) {
    this.items = OpenItems.of(plan.query());
    this.expected = OpenItems.expected(plan.query());
    this.state = plan.state();
    this.sink = sink;
    this.isOpen = !items.isEmpty();
  }

  /** Receives a trigger at the present cut. */
  void triggered() {
    if (!isOpen) {
      return;
    }
    for (Reference.Variable item : items) {
      VariableColumn column = state.follow(item.log(), item.name());
      if (isOneOfMany(column, expected.contains(item))) {
        isOpen = false;
        sink.warning(
            "THEN does not name the element of %s that triggers it, so an answer to another one counts too; FOR EACH VALUE x IN %s, with x in THEN, tells them apart"
                .formatted(item.name(), item.name()));
        return;
      }
    }
  }

  private boolean isOneOfMany(VariableColumn column, boolean isExpected) {
    for (int node = 0; node < state.nodes().size(); node++) {
      Value value = column.at(node);
      boolean isInSet = value instanceof Value.SetValue && !isExpected;
      if (isInSet || (value != null && !column.holdsState())) {
        return true;
      }
    }
    return false;
  }
}
