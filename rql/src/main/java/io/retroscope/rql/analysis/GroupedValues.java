// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The expressions that have one value for a group of rows: items of GROUP BY and aggregates. */
final class GroupedValues implements ExpressionAnalysis.Whole {
  private final int firstSlot;
  private final List<String> keys;
  private final InnerColumns columns;
  private final ExpressionAnalysis ofRows;
  private final Resolution resolution;
  private final Problems problems;
  private final List<Expression.Call> aggregates = new ArrayList<>();

  /**
   * Creates the values of the groups that the keys make.
   *
   * @param firstSlot the slot of the first key
   * @param ofRows the analysis of expressions of single rows
   */
  GroupedValues(
      int firstSlot,
      List<Expression> keys,
      InnerColumns columns,
      ExpressionAnalysis ofRows,
      Resolution resolution,
      Problems problems) {
    this.firstSlot = firstSlot;
    this.keys = keys.stream().map(RqlFormatter::format).toList();
    this.columns = columns;
    this.ofRows = ofRows;
    this.resolution = resolution;
    this.problems = problems;
  }

  /**
   * Returns whether an expression is an aggregate over rows: its function takes elements, or rows.
   */
  static boolean isAggregate(Expression expression) {
    return expression instanceof Expression.Call call
        && RqlFunction.named(call.function().text())
            .filter(
                function ->
                    function instanceof RqlFunction.OfRows
                        || (function instanceof RqlFunction.Aggregate
                            && call.arguments().size() <= 1))
            .isPresent();
  }

  List<Expression.Call> aggregates() {
    return aggregates;
  }

  @Override
  public Optional<Type> type(Expression expression) {
    if (columns.isBound(expression)) {
      return Optional.empty();
    }
    int key = keys.indexOf(RqlFormatter.format(expression));
    if (key >= 0) {
      resolution.putPerGroup(expression, firstSlot + key);
      return Optional.of(Type.ANY);
    }
    if (isAggregate(expression)) {
      return Optional.of(aggregate((Expression.Call) expression));
    }
    return columns.same(expression).isPresent()
        ? Optional.of(notGrouped(expression))
        : columns.type(expression);
  }

  private Type notGrouped(Expression expression) {
    String written = problems.text(expression.range());
    problems.add(
        ErrorCode.NOT_GROUPED
            .at(expression.range(), written)
            .withHelp("add it to GROUP BY, or aggregate it: MAX(%s)".formatted(written)));
    return Type.FAULTY;
  }

  private Type aggregate(Expression.Call call) {
    RqlFunction function = RqlFunction.named(call.function().text()).orElseThrow();
    Signature signature = function.signature();
    int wanted = function instanceof RqlFunction.OfRows ? signature.minArguments() : 1;
    if (call.arguments().size() != wanted && !call.isOfAllRows()) {
      problems.add(
          ErrorCode.ARGUMENT_COUNT
              .at(
                  call.range(),
                  signature.name(),
                  wanted == 1 ? "1 argument" : wanted + " arguments",
                  call.arguments().size())
              .withHelp("it is written " + signature.text()));
      return Type.FAULTY;
    }
    if (call.distinct() && !function.takesDistinct()) {
      problems.add(
          ErrorCode.NO_DISTINCT
              .at(call.range(), function.displayName())
              .withHelp("COUNT and SUM take DISTINCT before their one argument"));
    }
    if (columns.areNamesBound()) {
      problems.add(
          ErrorCode.MISPLACED_AGGREGATE
              .at(call.range(), problems.text(call.range()), "in a quantifier")
              .withHelp("select it in the inner query, and test it around that"));
    }
    Operands operands = new Operands(problems);
    for (Expression argument : call.arguments()) {
      operands.oneValue(argument, ofRows.type(argument));
    }
    if (function instanceof RqlFunction.OfRows && wanted > 1) {
      operands.percent(call.arguments().get(1), signature.name());
    }
    resolution.putPerGroup(call, firstSlot + keys.size() + aggregates.size());
    aggregates.add(call);
    return signature.result();
  }
}
