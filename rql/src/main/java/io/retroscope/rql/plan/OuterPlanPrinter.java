// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.rql.analysis.AnalyzedOuterQuery;
import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.analysis.AnalyzedVerdict;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** A printer of what an outer query does with the rows of its inner one. */
public final class OuterPlanPrinter {
  private OuterPlanPrinter() {}

  /** The lines, last step first, as in the plan of a query over logs. */
  public static List<String> lines(AnalyzedSelection selection, QueryLimits limits) {
    return selection instanceof AnalyzedOuterQuery outer
        ? ofOuterQuery(outer, limits)
        : List.of("verdict: " + decision((AnalyzedVerdict) selection), "rows of");
  }

  private static String decision(AnalyzedVerdict verdict) {
    return verdict.query().kind().isFulfilledByOne()
        ? "holds at the first row, at which the walk stops"
        : "broken if there is a row";
  }

  private static List<String> ofOuterQuery(AnalyzedOuterQuery analyzed, QueryLimits limits) {
    Statement.OuterQuery query = analyzed.query();
    List<String> lines = new ArrayList<>();
    OptionalLong limit = query.limit();
    boolean waits = analyzed.isGrouped() || !query.orderBy().isEmpty();
    limit.ifPresent(
        rows -> lines.add("limit " + rows + (waits ? "" : ", at which the walk stops")));
    if (!query.orderBy().isEmpty()) {
      long kept = Math.min(limit.orElse(Long.MAX_VALUE), limits.outer().maxRows());
      lines.add(
          "sort by %d %s, at most %,d rows kept"
              .formatted(
                  query.orderBy().size(), query.orderBy().size() == 1 ? "key" : "keys", kept));
    }
    if (analyzed.isGrouped()) {
      lines.add(
          "group by "
              + (analyzed.groupKeys().isEmpty()
                  ? "nothing, one group"
                  : analyzed.groupKeys().stream()
                      .map(RqlFormatter::format)
                      .collect(Collectors.joining(", ")))
              + aggregates(analyzed));
    }
    query.where().ifPresent(where -> lines.add("where " + RqlFormatter.format(where)));
    lines.add("rows of");
    return lines;
  }

  private static String aggregates(AnalyzedOuterQuery analyzed) {
    return analyzed.aggregates().isEmpty()
        ? ""
        : analyzed.aggregates().stream()
            .map(RqlFormatter::format)
            .collect(Collectors.joining(", ", ": ", ""));
  }
}
