// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.List;
import java.util.Optional;

/** The analysis of function calls against their signatures. */
final class CallAnalysis {
  private final ExpressionAnalysis expressions;
  private final Names names;
  private final Resolution resolution;
  private final Operands operands;
  private final Problems problems;

  CallAnalysis(
      ExpressionAnalysis expressions,
      Names names,
      Resolution resolution,
      Operands operands,
      Problems problems) {
    this.expressions = expressions;
    this.names = names;
    this.resolution = resolution;
    this.operands = operands;
    this.problems = problems;
  }

  /** Returns the type of a call, or FAULTY after reporting that there is no such function. */
  Type type(Expression.Call call) {
    Optional<RqlFunction> known = RqlFunction.named(call.function().text());
    if (known.isEmpty()) {
      List<String> all = RqlFunction.displayNames();
      problems.add(
          ErrorCode.UNKNOWN_FUNCTION.at(call.function().range(), call.function().text()),
          () ->
              call.function().text().equalsIgnoreCase("NOW")
                  ? "NOW can only be used in ON TIME: ON TIME NOW - 5m TO NOW"
                  : Statement.Modality.advice(call.function().text())
                      .orElseGet(() -> Suggestions.help(call.function().text(), all, "Functions")));
      call.arguments().forEach(expressions::type);
      return Type.FAULTY;
    }
    RqlFunction function = known.get();
    if (function instanceof RqlFunction.OfRows) {
      return function.accept(new Result(call));
    }
    checkCount(call, function);
    for (int i = 0; i < call.arguments().size(); i++) {
      argument(function.signature(), i, call.arguments());
    }
    return function.accept(new Result(call));
  }

  private void checkCount(Expression.Call call, RqlFunction function) {
    Signature signature = function.signature();
    int count = call.arguments().size();
    if (count < signature.minArguments() || count > signature.maxArguments()) {
      problems.add(
          ErrorCode.ARGUMENT_COUNT
              .at(call.range(), signature.name(), signature.argumentCountWords(), count)
              .withHelp(
                  call.isOfAllRows()
                      ? "COUNT(r1) counts the nodes that have r1; COUNT(*) counts the rows of an"
                          + " outer query: SELECT COUNT(*) FROM (SELECT ...)"
                      : "it is written " + signature.text()));
    }
    boolean severalTaken = count > 1 && count <= signature.maxArguments();
    if (call.distinct() && (!function.takesDistinct() || severalTaken)) {
      problems.add(
          ErrorCode.NO_DISTINCT
              .at(call.range(), function.displayName())
              .withHelp("COUNT and SUM take DISTINCT before their one argument"));
    }
  }

  private void argument(Signature signature, int index, List<Expression> arguments) {
    Expression argument = arguments.get(index);
    if (index >= signature.maxArguments()) {
      expressions.type(argument);
      return;
    }
    Parameter parameter = signature.parameter(index);
    Type type = expressions.type(argument);
    String taker = signature.name();
    switch (parameter) {
      case VALUE -> operands.oneValue(argument, type);
      case NUMBER -> operands.number(argument, type, taker);
      case WHOLE_NUMBER -> operands.wholeNumber(argument, type, taker);
      case QUANTITY -> operands.quantity(argument, type, taker);
      case TEXT -> operands.text(argument, type, taker);
      case CONDITION -> operands.condition(argument, type, taker);
      case PERCENT -> operands.percent(argument, taker);
      case TIME -> operands.time(argument, type, taker);
      case DURATION -> operands.duration(argument, type, taker);
      case SET, ELEMENTS -> operands.elements(argument, type, taker);
      case ELEMENTS_OR_VALUE -> {
        if (arguments.size() == 1) {
          operands.elements(argument, type, taker);
        }
      }
      case COLLECTION -> collection(argument, type, taker);
      case BOUND_NAME -> boundName(argument, taker);
      case VARIABLE -> variable(argument, type, taker);
    }
  }

  private void collection(Expression argument, Type type, String taker) {
    if (type != Type.COLLECTION && type != Type.FAULTY) {
      problems.mismatch(argument.range(), taker, Parameter.COLLECTION.words(), type);
    }
  }

  private void boundName(Expression argument, String taker) {
    boolean bound =
        argument instanceof Expression.Name name
            && names.boundAs(name.identifier().text()).isPresent();
    if (!bound) {
      problems.add(
          ErrorCode.MISMATCH
              .at(argument.range(), taker, Parameter.BOUND_NAME.words(), "this")
              .withHelp("EXISTS v IN r1 : (Node(v) = 'zk1'); the nodes of r1 are Nodes(r1)"));
    }
  }

  private void variable(Expression argument, Type type, String taker) {
    boolean field = argument instanceof Expression.Field f && resolution.variable(f).isEmpty();
    boolean named = type == Type.COLLECTION && !(argument instanceof Expression.Call) && !field;
    if (!named && type != Type.FAULTY) {
      problems.add(
          ErrorCode.MISMATCH.at(argument.range(), taker, Parameter.VARIABLE.words(), "this"));
    }
  }

  /** A visitor that returns the type of a call's value. */
  private final class Result implements RqlFunction.Visitor<Type> {
    private final Expression.Call call;

    Result(Expression.Call call) {
      this.call = call;
    }

    @Override
    public Type scalar(RqlFunction.Scalar function) {
      return function.signature().result();
    }

    @Override
    public Type aggregate(RqlFunction.Aggregate function) {
      return function.signature().result();
    }

    @Override
    public Type choice(RqlFunction.Choice function) {
      return function.signature().result();
    }

    @Override
    public Type perNode(RqlFunction.PerNode function) {
      return function.signature().result();
    }

    @Override
    public Type ofVariable(RqlFunction.OfVariable function) {
      return function.signature().result();
    }

    @Override
    public Type ofElement(RqlFunction.OfElement function) {
      return function.signature().result();
    }

    @Override
    public Type ofRows(RqlFunction.OfRows function) {
      problems.add(
          ErrorCode.MISPLACED_AGGREGATE
              .at(call.range(), function.displayName(), "in a cut")
              .withHelp(
                  "it takes the rows of an answer: SELECT PERCENTILE(durationMicros, 99)"
                      + " FROM (SELECT ... EMIT INTERVALS)"));
      return Type.FAULTY;
    }

    @Override
    public Type ofCut(RqlFunction.OfCut function) {
      Signature signature = function.signature();
      return expressions.needsCut(signature.name(), call.range(), signature.result());
    }
  }
}
