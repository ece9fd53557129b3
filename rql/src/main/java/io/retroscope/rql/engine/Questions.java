package io.retroscope.rql.engine;

import io.retroscope.rql.cut.CutState;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.plan.QueryPlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The questions that a walk evaluates: one, or with FOR EACH VARIABLE one for each variable that
 * has been written. Used by one thread.
 */
final class Questions {
  /** The order of the rows of one cut. */
  static final Comparator<Question> BY_NAME =
      Comparator.comparing(Question::name, NaturalOrder.INSTANCE);

  private final Maker maker;
  private final Set<VariableColumn> named = new HashSet<>();
  private final Map<VariableColumn, Question> questions = new LinkedHashMap<>();
  private final List<Question> touched = new ArrayList<>();
  private List<Question> byName = List.of();
  private @Nullable Question only;

  /** A factory of questions. */
  interface Maker {
    /** Creates the question for a variable, or for null without FOR EACH VARIABLE. */
    Question make(@Nullable VariableColumn variable);
  }

  /** Creates the questions of a plan; its state follows its variables from now on. */
  Questions(QueryPlan plan, Maker maker) {
    this.maker = maker;
    CutState state = plan.state();
    plan.input().variables().forEach(v -> named.add(state.follow(v.log(), v.name())));
    if (plan.input().forEach().isEmpty()) {
      only = maker.make(null);
      byName = List.of(only);
      return;
    }
    for (String log : plan.input().logs()) {
      state.followMatching(log, plan.input().eachVariable(), this::meet);
    }
  }

  /** Adds a question when a variable of FOR EACH VARIABLE is written for the first time. */
  private void meet(VariableColumn column) {
    questions.put(column, maker.make(column));
  }

  /** Whether the query has FOR EACH VARIABLE. */
  boolean areSeveral() {
    return only == null;
  }

  /** All questions, ordered by name. */
  List<Question> all() {
    if (only == null && byName.size() != questions.size()) {
      byName = questions.values().stream().sorted(BY_NAME).toList();
    }
    return byName;
  }

  /**
   * Returns the questions for which the present stamp is a cut, ordered by name. The list is valid
   * until the next call.
   *
   * @param columns the columns written at the cut
   * @param timely the questions for which the time makes it a cut
   */
  List<Question> touchedBy(List<VariableColumn> columns, Set<Question> timely) {
    if (only != null) {
      return byName;
    }
    touched.clear();
    touched.addAll(timely);
    for (VariableColumn column : columns) {
      if (named.contains(column)) {
        return all();
      }
      Question question = questions.get(column);
      if (question != null && !timely.contains(question)) {
        touched.add(question);
      }
    }
    touched.sort(BY_NAME);
    return touched;
  }
}
