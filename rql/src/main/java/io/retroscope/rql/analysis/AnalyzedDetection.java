// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.ErrorCode;
import java.util.List;
import java.util.Locale;

/**
 * A detection of a predicate in the consistent cuts of an execution, which has one row.
 *
 * @param query as parsed
 * @param walk the logs, nodes, time and predicate
 */
public record AnalyzedDetection(Statement.Detection query, AnalyzedQuery walk)
    implements AnalyzedSelection {
  /**
   * Checks a predicate, whose names are resolved already.
   *
   * @param text the text that it was parsed from
   * @throws io.retroscope.rql.diagnostic.RqlException if its value depends on clocks or on the cut
   *     before
   */
  static AnalyzedDetection of(String text, Statement.Detection query, AnalyzedQuery walk) {
    Problems problems = new Problems(text, "");
    for (Expression.Call call : query.predicate().all(Expression.Call.class)) {
      RqlFunction.named(call.function().text())
          .filter(function -> !isOfAnyCut(function))
          .ifPresent(
              function ->
                  problems.add(
                      ErrorCode.NOT_IN_VERDICT
                          .at(call.range(), query.modality(), function.displayName())
                          .withHelp(
                              "a consistent cut has neither a time nor one cut before it: use SELECT or NEVER, which follow the order of stamps")));
    }
    problems.throwIfAny();
    return new AnalyzedDetection(query, walk);
  }

  /** Whether the value of a function depends only on the values in a cut. */
  private static boolean isOfAnyCut(RqlFunction function) {
    return !(function instanceof RqlFunction.PerNode)
        && !(function instanceof RqlFunction.OfCut)
        && function != RqlFunction.OfVariable.CHANGED;
  }

  @Override
  public List<OutputColumn> columns() {
    String answer = query.modality().name().toLowerCase(Locale.ROOT);
    return List.of(
        new OutputColumn(answer, false, Type.BOOLEAN),
        new OutputColumn("cut", false, Type.ANY),
        new OutputColumn("messages", false, Type.SET));
  }
}
