// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.walk;

import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.cut.presence.LiveNodes;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.engine.response.ResponsePattern;
import io.retroscope.rql.engine.response.ResponseRows;
import io.retroscope.rql.engine.response.Responses;
import io.retroscope.rql.engine.run.CutRun;
import io.retroscope.rql.engine.run.Emission;
import io.retroscope.rql.engine.run.Emissions;
import io.retroscope.rql.engine.run.ResultColumns;
import io.retroscope.rql.evaluation.EachElement;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import org.jspecify.annotations.Nullable;

/** The factory of a walk's questions, each with its own frame and run. Used by one thread. */
final class QuestionMaker implements Questions.Maker {
  private final BoundPlan plan;
  private final ResultColumns columns;
  private final WalkOutput output;
  private final CutEvaluation evaluation;
  private final Responses responses;
  private final AgeTimers ageTimers;
  private final @Nullable LiveNodes liveNodes;
  private final CutErrors errors;
  private final WorkMeter work;
  private final int maxVariables;
  private int variables;

  QuestionMaker(
      BoundPlan plan,
      ResultColumns columns,
      WalkOutput output,
      CutEvaluation evaluation,
      Responses responses,
      AgeTimers ageTimers,
      @Nullable LiveNodes liveNodes,
      CutErrors errors,
      WorkMeter work,
      int maxVariables) {
    this.plan = plan;
    this.columns = columns;
    this.output = output;
    this.evaluation = evaluation;
    this.responses = responses;
    this.ageTimers = ageTimers;
    this.liveNodes = liveNodes;
    this.errors = errors;
    this.work = work;
    this.maxVariables = maxVariables;
  }

  @Override
  public Question makeOnly() {
    return make(null, NullValue.NULL);
  }

  @Override
  public Question make(Value element) {
    return make(null, element);
  }

  @Override
  public Question make(VariableColumn variable) {
    if (variables++ >= maxVariables) {
      throw errors.failure(
          new EvaluationException(ErrorCode.TOO_MANY_VARIABLES, maxVariables)
              .at(plan.query().query().forEach().orElseThrow().range()));
    }
    return make(variable, NullValue.NULL);
  }

  @Override
  public void forget(Question question) {
    ageTimers.forget(question);
  }

  private Question make(@Nullable VariableColumn variable, Value element) {
    Frame frame = new Frame(plan.state(), liveNodes, variable, plan.clauses().slotCount(), work);
    EachElement each = plan.clauses().eachElement();
    if (each != null) {
      each.bind(frame, element);
    }
    ResponsePattern response =
        plan.query()
            .response()
            .map(clause -> responses.pattern(clause, rows(frame), output))
            .orElse(null);
    Emission emission =
        response == null ? Emissions.of(plan.output().emit(), columns, output) : response;
    CutRun run = new CutRun(emission, plan.output().forMicros().orElse(0));
    Question question = new Question(variable, element, isOfNode(), frame, run, response);
    if (each == null) {
      ageTimers.watch(question);
    } else {
      ageTimers.watchFromNow(question);
    }
    return question;
  }

  private boolean isOfNode() {
    return plan.query().query().forEach().filter(ForEach.OfNode.class::isInstance).isPresent();
  }

  private ResponseRows rows(Frame frame) {
    return new QuestionRows(frame, evaluation, columns, output, responses);
  }
}
