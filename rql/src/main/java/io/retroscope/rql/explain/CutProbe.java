// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.walk.CutListener;
import io.retroscope.rql.cut.walk.CutWalker;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.evaluation.EachElement;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Evaluator;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.evaluation.Types;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeWindow;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a query at one cut, with the values that hold at exactly its stamp. A query with a
 * GLOBAL is walked from the start of its range, any other directly at the cut. Used by one thread.
 */
final class CutProbe implements CutListener {
  private final BoundPlan plan;
  private final Translator translator;
  private final WorkMeter work;
  private final long hlc;
  private final List<VariableColumn> eachVariables = new ArrayList<>();
  private final List<Question> walked = new ArrayList<>();

  /**
   * The query for one item of FOR EACH, or the whole query without it.
   *
   * @param item its name; empty without FOR EACH
   * @param variable null unless it is FOR EACH VARIABLE
   * @param element NULL unless it is FOR EACH NODE or VALUE
   */
  record Question(String item, @Nullable VariableColumn variable, Value element, Frame frame) {}

  private CutProbe(BoundPlan plan, QueryLimits limits, WorkMeter work, long hlc) {
    this.plan = plan;
    this.work = work;
    this.hlc = hlc;
    this.translator = Translator.over(plan.batch(), plan.query(), limits);
    if (plan.input().forEach().isPresent()) {
      plan.input()
          .logs()
          .forEach(
              log ->
                  plan.state()
                      .followMatching(log, plan.input().eachVariable(), eachVariables::add));
    }
  }

  /**
   * Moves to a cut.
   *
   * @param start packed, the first stamp of the query's range, from which GLOBALs have their values
   * @param hlc packed, the stamp of the cut
   */
  static CutProbe at(ExplainedQuery query, View view, long start, long hlc) {
    AnalyzedQuery analyzed = query.analyzed();
    long from = analyzed.hasGlobals() ? Math.min(start, hlc) : hlc;
    TimeWindow window = new TimeWindow(new HlcRange(from, hlc), from == hlc);
    BoundPlan plan =
        QueryPlan.overHistory(query.text(), analyzed, Optional.of(window)).bind(query.limits());
    CutProbe probe = new CutProbe(plan, query.limits(), query.work(), hlc);
    new CutWalker(plan.batch(), plan.input().logs(), true, from, from, CutTimers.NONE, null, probe)
        .advance(view, hlc);
    return probe;
  }

  AnalyzedQuery query() {
    return plan.query();
  }

  CutState state() {
    return plan.state();
  }

  Translator translator() {
    return translator;
  }

  /** The packed stamp of the cut. */
  long hlc() {
    return hlc;
  }

  /** The questions at this cut: one, or one for each item of FOR EACH. */
  List<Question> questions() {
    return query().hasGlobals() ? List.copyOf(walked) : fresh();
  }

  private List<Question> fresh() {
    EachElement each = plan.clauses().eachElement();
    List<Question> questions = new ArrayList<>();
    if (plan.input().forEach().isPresent()) {
      eachVariables.stream()
          .sorted(Comparator.comparing(VariableColumn::name, NaturalOrder.INSTANCE))
          .forEach(
              column ->
                  questions.add(
                      new Question(column.name(), column, NullValue.NULL, frame(column))));
    } else if (each != null) {
      for (Value element : each.now(frame(null))) {
        questions.add(ofElement(element));
      }
    } else {
      questions.add(new Question("", null, NullValue.NULL, frame(null)));
    }
    return questions;
  }

  /** The question of an element that need not be present. */
  Question ofElement(Value element) {
    Frame frame = frame(null);
    EachElement each = plan.clauses().eachElement();
    if (each != null) {
      each.bind(frame, element);
    }
    return new Question(ValueText.of(element), null, element, frame);
  }

  private Frame frame(@Nullable VariableColumn each) {
    return new Frame(plan.state(), null, each, plan.clauses().slotCount(), work);
  }

  /** Returns whether WHEN is TRUE; GLOBALs keep the values that they have after this cut. */
  boolean holds(Question question) {
    question.frame().beginCut();
    try {
      return query().hasGlobals()
          ? Types.isTrue(when(question))
          : plan.clauses().holds(question.frame());
    } catch (EvaluationException e) {
      return false;
    }
  }

  private Value when(Question question) {
    Evaluator when =
        query()
            .query()
            .when()
            .map(clause -> translator.one(clause.predicate()))
            .orElse(frame -> Value.of(true));
    return when.value(question.frame());
  }

  /** A query with a GLOBAL has one question, or one for each item that has been found so far. */
  private void compute() {
    if (!query().hasGlobals()) {
      return;
    }
    for (Question question : fresh()) {
      if (walked.stream().noneMatch(known -> known.item().equals(question.item()))) {
        walked.add(question);
      }
    }
    for (Question question : walked) {
      question.frame().beginCut();
      try {
        plan.clauses().holds(question.frame());
      } catch (EvaluationException e) {
        // The walk of the query itself reports it; a cut without a value does not hold.
      }
    }
  }

  @Override
  public boolean start(long stamp) {
    if (stamp == hlc) {
      compute();
    }
    return stamp < hlc;
  }

  @Override
  public boolean cut(long stamp) {
    compute();
    return stamp < hlc;
  }

  @Override
  public boolean reached(long stamp) {
    return true;
  }

  @Override
  public boolean isCancelled() {
    work.add(1);
    return false;
  }

  @Override
  public void warning(EventWarning warning) {
    // The walk of the query itself reports it.
  }
}
