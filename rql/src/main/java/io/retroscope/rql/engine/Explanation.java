package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.AnalyzedOuterQuery;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.analysis.AnalyzedVerdict;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.plan.OuterPlanPrinter;
import io.retroscope.rql.plan.PlanPrinter;
import io.retroscope.rql.plan.QueryPlan;
import java.util.List;
import java.util.function.LongSupplier;

/** The statements EXPLAIN and EXPLAIN ANALYZE. */
final class Explanation {
  private static final String INDENT = "  ";

  private final AnalyzedSelection selection;
  private final QueryPlan plan;
  private final EventSource.View view;
  private final QueryLimits limits;
  private final SliceThreads helpers;

  /**
   * Creates the explanation of a query.
   *
   * @param plan the plan of the query that walks cuts
   * @param helpers the threads that may walk slices of history
   */
  Explanation(
      AnalyzedSelection selection,
      QueryPlan plan,
      EventSource.View view,
      QueryLimits limits,
      SliceThreads helpers) {
    this.selection = selection;
    this.plan = plan;
    this.view = view;
    this.limits = limits;
    this.helpers = helpers;
  }

  /**
   * Prints the plan. With ANALYZE, also executes it and adds the cost, without that of outer
   * queries.
   *
   * @param nanos a clock for the execution time
   */
  void run(RowSink sink, LongSupplier nanos) {
    CatalogStatements.Table table = new CatalogStatements.Table(sink, "plan");
    Statement.Explain explain = selection.query().explain();
    String indent = outerQueries(table);
    PlanPrinter.lines(plan, view, helpers.threads())
        .forEach(line -> table.row(Value.of(indent + line)));
    if (explain != Statement.Explain.ANALYZE) {
      plan.warnings().forEach(sink::warning);
    }
    if (explain == Statement.Explain.ANALYZE) {
      long start = nanos.getAsLong();
      QueryWalk walk = QueryWalk.overHistory(plan, limits, view, new Counting(sink), helpers);
      long micros = (nanos.getAsLong() - start) / 1_000;
      table.row(Value.of("rows: " + walk.rows()));
      if (walk.slicesByHelpers() > 0) {
        table.row(Value.of("slices walked by other threads: " + walk.slicesByHelpers()));
      }
      WalkFigures figures = walk.figures();
      table.row(Value.of("cuts: " + figures.cuts()));
      if (plan.quietRule().isPresent()) {
        table.row(Value.of("passed by the quiet rule: " + figures.passedCuts()));
        table.row(Value.of("blocks answered by their zones: " + figures.blocksPassed()));
      }
      if (walk.silences().changes() > 0) {
        table.row(Value.of("changes of the silent nodes: " + walk.silences().changes()));
      }
      table.row(Value.of("events read: " + figures.eventsRead()));
      table.row(Value.of("blocks: " + blocks()));
      table.row(Value.of("time: " + Literals.duration(micros)));
    }
  }

  /** Prints the outer queries, outermost first; returns the indent of the query that walks cuts. */
  private String outerQueries(CatalogStatements.Table table) {
    StringBuilder indent = new StringBuilder();
    AnalyzedSelection at = selection;
    while (!(at instanceof AnalyzedQuery)) {
      for (String line : OuterPlanPrinter.lines(at, limits)) {
        table.row(Value.of(indent + line));
      }
      indent.append(INDENT);
      at =
          at instanceof AnalyzedOuterQuery outer
              ? outer.inner()
              : ((AnalyzedVerdict) at).evidence();
    }
    return indent.toString();
  }

  private String blocks() {
    return view.blocks().map(BlockCount::sentence).orElse(BlockCount.IN_MEMORY);
  }

  /** A sink that discards the rows of a query. */
  private record Counting(RowSink sink) implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {
      sink.warning(message);
    }

    @Override
    public void progress(long cuts, long hlc) {
      sink.progress(cuts, hlc);
    }

    @Override
    public boolean cancelled() {
      return sink.cancelled();
    }
  }
}
