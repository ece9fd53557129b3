package io.retroscope.rql.analysis;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.RqlException;
import java.util.List;
import java.util.Set;

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
    return new QueryAnalysis(catalog, limits, text, query, Set.of()).analyze();
  }

  /**
   * What is wrong with a query of which only a part could be read.
   *
   * @param text the text that it was parsed from
   * @param query the part
   * @param obscured names that the other parts may declare
   */
  public List<Diagnostic> problems(String text, Statement.Query query, Set<String> obscured) {
    return new QueryAnalysis(catalog, limits, text, query, obscured).problems();
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
