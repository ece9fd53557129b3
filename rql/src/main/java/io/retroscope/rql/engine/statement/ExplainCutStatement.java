// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.event.Value;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.analysis.Analyzer;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.completeness.Horizon;
import io.retroscope.rql.engine.completeness.ReadEvents;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.explain.CutExplanation;
import io.retroscope.rql.explain.ExplainedQuery;
import io.retroscope.rql.explain.Finding;
import io.retroscope.rql.plan.TimeWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The statement EXPLAIN CUT. */
public final class ExplainCutStatement {
  private static final int MAX_DEPTH = 20;

  /** The most reasons for doubt that are listed one by one. */
  private static final int MAX_REASONS = 5;

  private final String text;
  private final AnalyzedQuery query;
  private final Statement.ExplainCut explain;
  private final EventSource.View view;
  private final Horizon horizon;
  private final QueryLimits limits;

  /**
   * Creates the explanation of a cut.
   *
   * @param text of the statement
   * @param query the analyzed query of {@code explain} that walks cuts
   */
  public ExplainCutStatement(
      String text,
      AnalyzedQuery query,
      Statement.ExplainCut explain,
      EventSource.View view,
      Horizon horizon,
      QueryLimits limits) {
    this.text = text;
    this.query = query;
    this.explain = explain;
    this.view = view;
    this.horizon = horizon.ofEvents(query);
    this.limits = limits;
  }

  /**
   * Checks the explained statement.
   *
   * @throws RqlException if it is wrong, or has no predicate over single cuts
   */
  public static AnalyzedSelection check(
      String text, Statement.ExplainCut explain, Analyzer analyzer) {
    Statement.Selection rule = explain.rule();
    Statement.Selection walk = rule instanceof Statement.Verdict v ? v.evidence() : rule;
    if (walk instanceof Statement.OuterQuery) {
      throw refusal(text, explain, "the rows of an outer query", "explain the inner SELECT");
    }
    if (walk instanceof Statement.Detection) {
      throw refusal(
          text,
          explain,
          "POSSIBLY and DEFINITELY",
          "their row has the cut and the messages that bound it");
    }
    return analyzer.analyze(text, rule);
  }

  private static RqlException refusal(
      String text, Statement.ExplainCut explain, String what, String help) {
    return new RqlException(
        text, List.of(ErrorCode.NOT_EXPLAINED.at(explain.rule().range(), what).withHelp(help)));
  }

  /** The error of EXPLAIN EPISODE where no rules are known. */
  public static RqlException withoutRules(String text, Statement.ExplainEpisode explain) {
    return new RqlException(
        text,
        List.of(
            ErrorCode.NO_RULES_HERE
                .at(explain.range())
                .withHelp(
                    "start the shell with --rules FILE, or write EXPLAIN CUT hlc'...' OF the rule's"
                        + " statement")));
  }

  /**
   * Sends the explanation, a row for each of its parts.
   *
   * @throws RqlException if a predicate fails at the cut
   */
  public void run(RowSink sink) {
    CatalogStatements.Table table =
        new CatalogStatements.Table(
            sink, "part", "explanation", "node", "hlc", "variable", "value");
    try {
      for (Finding finding : findings(sink)) {
        table.row(
            Value.of(finding.part().word()),
            Value.of(finding.text()),
            Value.of(finding.node()),
            new TimestampValue(finding.hlc()),
            Value.of(finding.variable()),
            finding.value());
      }
    } catch (WorkMeter.CancelledException e) {
      // The rows are no longer wanted; a statement that was killed ends with its own error.
    }
  }

  private List<Finding> findings(RowSink sink) {
    Statement.Query walk = explain.rule().walk();
    Optional<TimeWindow> range = TimeWindow.of(text, walk, view.history(), horizon.now());
    if (range.isEmpty()) {
      return List.of();
    }
    view.blockReads().ifPresent(BlockReads::keep);
    long cut = cut();
    if (horizon.isBefore(cut)) {
      sink.warning(horizon.sentence());
    }
    ExplainedQuery explained =
        new ExplainedQuery(text, query, limits, new WorkMeter(sink::cancelled));
    int depth = (int) Math.min(MAX_DEPTH, explain.depth().orElse(CutExplanation.DEFAULT_DEPTH));
    List<Finding> findings =
        new ArrayList<>(
            new CutExplanation(explained, view, range.get().range().from(), depth)
                .of(cut, explain.item()));
    findings.addAll(unknown(range.get(), cut));
    return findings;
  }

  /** Missing and doubtful events up to the cut: a cause may be of any node and in any log. */
  private List<Finding> unknown(TimeWindow range, long cut) {
    HlcRange walked = new HlcRange(Math.min(range.range().from(), cut), cut);
    List<Incompleteness> reasons =
        new ReadEvents(
                query, Optional.of(range), horizon, new SilenceLimits(limits.idleTimeoutMicros()))
            .completenessOfAll(walked)
            .reasons();
    List<Finding> findings = new ArrayList<>();
    reasons.stream()
        .limit(MAX_REASONS)
        .forEach(
            reason ->
                findings.add(Finding.unknown(cut, "Not certain: " + reason.sentence() + ".")));
    if (reasons.size() > MAX_REASONS) {
      String more = "Not certain: %d more such reasons.".formatted(reasons.size() - MAX_REASONS);
      findings.add(Finding.unknown(cut, more));
    }
    return findings;
  }

  private long cut() {
    return TimeWindow.at(explain.cut(), horizon.now());
  }
}
