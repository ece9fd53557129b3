// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.analysis.AnalysisLimits;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.analysis.Analyzer;
import io.retroscope.rql.analysis.Resolution;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.diagnostic.Diagnostic;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.statement.ExplainCutStatement;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The check of a statement that is parsed without errors. */
final class Preparation implements Statement.Visitor<PreparedQuery> {
  private final String rql;
  private final Supplier<Analyzer> analyzer;
  private final AnalysisLimits limits;

  /**
   * A check.
   *
   * @param analyzer opens a view, which not every statement needs
   */
  Preparation(String rql, Supplier<Analyzer> analyzer, AnalysisLimits limits) {
    this.rql = rql;
    this.analyzer = analyzer;
    this.limits = limits;
  }

  @Override
  public PreparedQuery query(Statement.Query query) {
    AnalyzedQuery analyzed = analyzer.get().analyze(rql, query);
    return new PreparedQuery(rql, query, Optional.of(analyzed), Optional.empty());
  }

  @Override
  public PreparedQuery outerQuery(Statement.OuterQuery query) {
    return selection(query);
  }

  @Override
  public PreparedQuery verdict(Statement.Verdict verdict) {
    return selection(verdict);
  }

  @Override
  public PreparedQuery detection(Statement.Detection detection) {
    return selection(detection);
  }

  private PreparedQuery selection(Statement.Selection selection) {
    AnalyzedSelection analyzed = analyzer.get().analyze(rql, selection);
    return new PreparedQuery(rql, selection, Optional.of(analyzed), Optional.empty());
  }

  @Override
  public PreparedQuery createRule(Statement.CreateRule rule) {
    if (!rule.alert()) {
      throw onlyInRuleFile("CREATE RULE", rule);
    }
    List<Diagnostic> problems = AlertDefinition.problems(rule);
    if (!problems.isEmpty()) {
      throw new RqlException(rql, problems);
    }
    Statement.Query stream = AlertDefinition.stream(rule.rule().walk());
    AnalyzedQuery analyzed = analyzer.get().analyze(rql, stream);
    return new PreparedQuery(rql, rule, Optional.of(analyzed), Optional.empty());
  }

  @Override
  public PreparedQuery alert(Statement.AlertStatement alert) {
    return withoutExpressions(alert);
  }

  @Override
  public PreparedQuery declare(Statement.Declare declaration) {
    throw onlyInRuleFile("DECLARE", declaration);
  }

  private RqlException onlyInRuleFile(String words, Statement statement) {
    return new RqlException(
        rql,
        List.of(
            ErrorCode.ONLY_IN_RULE_FILE
                .at(statement.range(), words)
                .withHelp(
                    "./retroscope check RULES.rql EVENTS decides whether the rules of a file"
                        + " hold")));
  }

  @Override
  public PreparedQuery explainCut(Statement.ExplainCut explain) {
    AnalyzedSelection analyzed = ExplainCutStatement.check(rql, explain, analyzer.get());
    return new PreparedQuery(rql, explain, Optional.of(analyzed), Optional.empty());
  }

  @Override
  public PreparedQuery explainEpisode(Statement.ExplainEpisode explain) {
    throw ExplainCutStatement.withoutRules(rql, explain);
  }

  @Override
  public PreparedQuery evaluate(Statement.Evaluate evaluate) {
    Resolution resolution = new Analyzer(Catalog.EMPTY, limits).analyze(rql, evaluate);
    return new PreparedQuery(rql, evaluate, Optional.empty(), Optional.of(resolution));
  }

  @Override
  public PreparedQuery show(Statement.Show show) {
    return withoutExpressions(show);
  }

  @Override
  public PreparedQuery describe(Statement.Describe describe) {
    return withoutExpressions(describe);
  }

  @Override
  public PreparedQuery forget(Statement.Forget forget) {
    return withoutExpressions(forget);
  }

  @Override
  public PreparedQuery killQuery(Statement.KillQuery kill) {
    return withoutExpressions(kill);
  }

  private PreparedQuery withoutExpressions(Statement statement) {
    return new PreparedQuery(rql, statement, Optional.empty(), Optional.empty());
  }
}
