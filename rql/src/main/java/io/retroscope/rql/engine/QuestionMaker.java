package io.retroscope.rql.engine;

import io.retroscope.rql.cut.LiveNodes;
import io.retroscope.rql.cut.VariableColumn;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.Frame;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.QueryPlan;
import org.jspecify.annotations.Nullable;

/** The factory of a walk's questions, each with its own frame and run. Used by one thread. */
final class QuestionMaker implements Questions.Maker {
  private final QueryPlan plan;
  private final ResultColumns columns;
  private final WalkOutput output;
  private final AgeTimers ageTimers;
  private final @Nullable LiveNodes liveNodes;
  private final CutErrors errors;
  private final WorkMeter work;
  private final int maxVariables;
  private int variables;

  QuestionMaker(
      QueryPlan plan,
      ResultColumns columns,
      WalkOutput output,
      AgeTimers ageTimers,
      @Nullable LiveNodes liveNodes,
      CutErrors errors,
      WorkMeter work,
      int maxVariables) {
    this.plan = plan;
    this.columns = columns;
    this.output = output;
    this.ageTimers = ageTimers;
    this.liveNodes = liveNodes;
    this.errors = errors;
    this.work = work;
    this.maxVariables = maxVariables;
  }

  @Override
  public Question make(@Nullable VariableColumn variable) {
    if (variable != null && variables++ >= maxVariables) {
      throw errors.failure(
          new EvaluationException(ErrorCode.TOO_MANY_VARIABLES, maxVariables)
              .at(plan.query().query().forEach().orElseThrow().range()));
    }
    Frame frame = new Frame(plan.state(), liveNodes, variable, plan.clauses().slotCount(), work);
    Emission emission = Emissions.of(plan.output().emit(), columns, output);
    Run run = new Run(emission, plan.output().forMicros().orElse(0));
    Question question = new Question(variable, frame, run);
    ageTimers.watch(question);
    return question;
  }
}
