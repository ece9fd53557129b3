// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** An analyzer that checks statements against a catalog. Thread-safe. */
public final class Analyzer {
  private final Catalog catalog;
  private final AnalysisLimits limits;
  private final Map<Reference.Variable, String> declaredTypes = new HashMap<>();

  /** Creates an analyzer. */
  public Analyzer(Catalog catalog, AnalysisLimits limits) {
    this(catalog, limits, List.of());
  }

  /**
   * Creates an analyzer of statements after declarations.
   *
   * @param declared variables that exist even if the catalog does not have them
   */
  public Analyzer(Catalog catalog, AnalysisLimits limits, List<Statement.Declare> declared) {
    Catalog known = catalog;
    for (Statement.Declare one : declared) {
      String log = one.log().text();
      String variable = one.variable().text();
      known = known.with(log, variable);
      one.type().ifPresent(type -> declaredTypes.put(new Reference.Variable(log, variable), type));
    }
    this.catalog = known;
    this.limits = limits;
  }

  /**
   * Checks a query.
   *
   * @param text the text that it was parsed from
   * @throws RqlException with every independent error
   */
  public AnalyzedQuery analyze(String text, Statement.Query query) {
    return new QueryAnalysis(catalog, limits, text, query, Set.of())
        .analyze()
        .withTypes(declaredTypes);
  }

  /**
   * Checks a query over logs or over the rows of another query, a verdict or a detection.
   *
   * @param text the text that it was parsed from
   * @throws RqlException with every independent error of the innermost query that has any
   */
  public AnalyzedSelection analyze(String text, Statement.Selection selection) {
    if (selection instanceof Statement.OuterQuery outer) {
      return new OuterAnalysis(limits, catalog, text, outer, analyze(text, outer.inner()))
          .analyze();
    }
    if (selection instanceof Statement.Verdict verdict) {
      return new AnalyzedVerdict(verdict, analyze(text, verdict.evidence()));
    }
    if (selection instanceof Statement.Detection detection) {
      return AnalyzedDetection.of(text, detection, analyze(text, detection.walk()));
    }
    return analyze(text, (Statement.Query) selection);
  }

  /**
   * Returns the errors in the parsed part of a query with syntax errors.
   *
   * @param text the text that it was parsed from
   * @param query the parsed part
   * @param obscured names that the other parts may declare
   */
  public List<Diagnostic> problems(String text, Statement.Query query, Set<String> obscured) {
    return new QueryAnalysis(catalog, limits, text, query, obscured).problems();
  }

  /**
   * Checks a single expression, which has no variables.
   *
   * @param text the text that it was parsed from
   * @throws RqlException with every independent error
   */
  public Resolution analyze(String text, Statement.Evaluate evaluate) {
    return QueryAnalysis.standalone(limits, text, evaluate);
  }
}
