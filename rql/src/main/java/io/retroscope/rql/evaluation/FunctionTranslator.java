// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.PerNode;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.List;

/** A visitor that translates a call of a function of each shape into its evaluator. */
final class FunctionTranslator implements RqlFunction.Visitor<Translation> {
  private final Translator translator;
  private final Expression.Call call;

  FunctionTranslator(Translator translator, Expression.Call call) {
    this.translator = translator;
    this.call = call;
  }

  /** Returns the called function; the analysis has checked that it exists. */
  static RqlFunction function(Expression.Call call) {
    return RqlFunction.named(call.function().text())
        .orElseThrow(() -> new AssertionError("unknown function " + call.function().text()));
  }

  private Expression argument(int index) {
    return call.arguments().get(index);
  }

  @Override
  public Translation scalar(RqlFunction.Scalar function) {
    Evaluator[] operands = new Evaluator[call.arguments().size()];
    for (int i = 0; i < operands.length; i++) {
      operands[i] =
          function.signature().takesSet(i)
              ? translator.set(argument(i))
              : translator.one(argument(i));
    }
    QueryLimits limits = translator.limits();
    return new Translation.Single(
        new NaryOperation(
            call.range(), values -> ScalarFunctions.apply(function, values, limits), operands));
  }

  @Override
  public Translation aggregate(RqlFunction.Aggregate function) {
    List<ElementSource> sources =
        call.arguments().size() == 1
            ? List.of(translator.elements(argument(0), call.function().text()))
            : call.arguments().stream().map(translator::elementsOrOne).toList();
    return new Translation.Single(
        new Aggregation(function, call.distinct(), sources, call.range()));
  }

  @Override
  public Translation choice(RqlFunction.Choice function) {
    return new Translation.Single(
        switch (function) {
          case COALESCE -> coalesce();
          case IF ->
              ExpressionTranslator.conditional(
                  argument(0).range(),
                  function.displayName(),
                  translator.one(argument(0)),
                  translator.one(argument(1)),
                  translator.one(argument(2)));
        });
  }

  private Evaluator coalesce() {
    List<Evaluator> choices = call.arguments().stream().map(translator::one).toList();
    return frame -> {
      for (Evaluator choice : choices) {
        Value value = choice.value(frame);
        if (!Types.isNull(value)) {
          return value;
        }
      }
      return NullValue.NULL;
    };
  }

  @Override
  public Translation perNode(RqlFunction.PerNode function) {
    PerNodeEvaluator variable = translator.perNode(argument(0));
    return new Translation.Collection(
        switch (function) {
          case PREV -> frame -> previous(column(variable, frame), frame.state().hlc());
          case AGE -> frame -> new Ages(column(variable, frame), frame.state().hlc());
          case WRITE_AGE -> frame -> writeAge(column(variable, frame), frame.state().hlc());
          case SILENCE -> frame -> silence(column(variable, frame), frame.state());
        });
  }

  private static PerNode previous(VariableColumn column, long hlc) {
    return node -> column.before(node, hlc);
  }

  private static PerNode writeAge(VariableColumn column, long hlc) {
    return node -> column.isSet(node) ? Ages.between(column.writtenAt(node), hlc) : null;
  }

  private static PerNode silence(VariableColumn column, CutState state) {
    return node ->
        column.isSet(node)
            ? Ages.between(state.signs().last(state.nodes().name(node), state.hlc()), state.hlc())
            : null;
  }

  @Override
  public Translation ofVariable(RqlFunction.OfVariable function) {
    PerNodeEvaluator variable = translator.perNode(argument(0));
    return new Translation.Single(
        switch (function) {
          case NODES -> variable.asNodeNames();
          case NAME -> frame -> Value.of(column(variable, frame).name());
          case CHANGED -> frame -> Value.of(column(variable, frame).changedIn(frame.state().hlc()));
        });
  }

  private static VariableColumn column(PerNodeEvaluator evaluator, Frame frame) {
    if (evaluator.values(frame) instanceof VariableColumn column) {
      return column;
    }
    throw new AssertionError("not a variable");
  }

  @Override
  public Translation ofElement(RqlFunction.OfElement function) {
    Evaluator bound = translator.one(argument(0));
    return new Translation.Single(
        switch (function) {
          case NODE -> frame -> nodeOf(bound, frame);
        });
  }

  private static Value nodeOf(Evaluator bound, Frame frame) {
    List<String> node = ElementSource.nodeName(bound.source(frame), frame);
    return node.isEmpty() ? NullValue.NULL : Value.of(node.get(0));
  }

  @Override
  public Translation ofCut(RqlFunction.OfCut function) {
    return new Translation.Single(
        switch (function) {
          case TIME -> frame -> new TimestampValue(frame.state().hlc());
          case WALL_TIME -> FunctionTranslator::wallTime;
        });
  }

  @Override
  public Translation ofRows(RqlFunction.OfRows function) {
    throw new AssertionError("an aggregate of rows is read from its slot: " + function);
  }

  private static Value wallTime(Frame frame) {
    CutTime time = frame.state().origin().time(frame.state().hlc(), frame.clockOffsets());
    return new TimestampValue(HlcTimestamp.pack(time.micros()));
  }
}
