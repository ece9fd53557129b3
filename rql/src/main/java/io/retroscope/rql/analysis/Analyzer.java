package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.RqlException;

/** Checks statements against what there is. Thread-safe. */
public final class Analyzer {
  private final Catalog catalog;
  private final AnalysisLimits limits;

  /** Checks against a catalogue, within limits. */
  public Analyzer(Catalog catalog, AnalysisLimits limits) {
    this.catalog = catalog;
    this.limits = limits;
  }

  /**
   * Checks a query.
   *
   * @param text the text that it was parsed from
   * @throws RqlException with every independent error
   */
  public AnalyzedQuery analyze(String text, Statement.Query query) {
    return new QueryAnalysis(catalog, limits, text, query).analyze();
  }

  /**
   * Checks an expression that stands on its own; there are no variables in it.
   *
   * @param text the text that it was parsed from
   * @throws RqlException with every independent error
   */
  public Resolution analyze(String text, Statement.Evaluate evaluate) {
    return QueryAnalysis.standalone(limits, text, evaluate);
  }
}
