// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.plan.BoundPlan;
import java.util.List;
import java.util.Set;

/** The question of a query without FOR EACH. Used by one thread. */
final class OneQuestion implements Questions {
  private final List<Question> only;

  OneQuestion(BoundPlan plan, Maker maker) {
    plan.input().variables().forEach(v -> plan.state().follow(v.log(), v.name()));
    only = List.of(maker.makeOnly());
  }

  @Override
  public boolean areSeveral() {
    return false;
  }

  @Override
  public boolean meet() {
    return true;
  }

  @Override
  public void meetAfter() {}

  @Override
  public List<Question> all() {
    return only;
  }

  @Override
  public List<Question> touchedBy(List<VariableColumn> columns, Set<Question> timely) {
    return only;
  }

  @Override
  public void settle(List<Question> evaluated) {}
}
