// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.plan.BoundPlan;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The questions of FOR EACH VARIABLE: one for each variable that has been written. Used by one
 * thread.
 */
final class VariableQuestions implements Questions {
  private final Maker maker;
  private final Set<VariableColumn> named = new HashSet<>();
  private final List<Question> questions = new ArrayList<>();

  /** By the index of the variable; null where it has no question. */
  private final List<@Nullable Question> byVariable = new ArrayList<>();

  private final List<Question> touched = new ArrayList<>();
  private List<Question> byName = List.of();

  /** The error of a variable too many, which the next cut reports: others may share the state. */
  private @Nullable RqlException failure;

  VariableQuestions(BoundPlan plan, Maker maker) {
    this.maker = maker;
    CutState state = plan.state();
    plan.input().variables().forEach(v -> named.add(state.follow(v.log(), v.name())));
    for (String log : plan.input().logs()) {
      state.followMatching(log, plan.input().eachVariable(), this::add);
    }
  }

  /** Adds a question when a variable is written for the first time. */
  private void add(VariableColumn column) {
    if (failure != null) {
      return;
    }
    Question question;
    try {
      question = maker.make(column);
    } catch (RqlException e) {
      failure = e;
      return;
    }
    questions.add(question);
    while (byVariable.size() <= column.index()) {
      byVariable.add(null);
    }
    byVariable.set(column.index(), question);
  }

  @Override
  public boolean areSeveral() {
    return true;
  }

  @Override
  public boolean meet() {
    if (failure != null) {
      throw failure;
    }
    return true;
  }

  @Override
  public void meetAfter() {}

  @Override
  public List<Question> all() {
    if (byName.size() != questions.size()) {
      byName = questions.stream().sorted(Question.BY_NAME).toList();
    }
    return byName;
  }

  @Override
  public List<Question> open() {
    // Few of many questions have a run that holds, and the order of all takes long.
    return questions.stream().filter(Question::isOpen).sorted(Question.BY_NAME).toList();
  }

  @Override
  public List<Question> touchedBy(List<VariableColumn> columns, Set<Question> timely) {
    touched.clear();
    touched.addAll(timely);
    for (VariableColumn column : columns) {
      if (named.contains(column)) {
        return all();
      }
      Question question = of(column);
      if (question != null && !timely.contains(question)) {
        touched.add(question);
      }
    }
    touched.sort(Question.BY_NAME);
    return touched;
  }

  private @Nullable Question of(VariableColumn column) {
    return column.index() < byVariable.size() ? byVariable.get(column.index()) : null;
  }

  @Override
  public void settle(List<Question> evaluated) {}
}
