// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.history;

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
import io.retroscope.rql.engine.slice.SliceThreads;
import io.retroscope.rql.engine.slice.WalkFigures;
import io.retroscope.rql.engine.statement.CatalogStatements;
import io.retroscope.rql.engine.walk.QueryWalk;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.plan.OuterPlanPrinter;
import io.retroscope.rql.plan.PlanPrinter;
import java.util.List;
import java.util.function.LongSupplier;

/** The statements EXPLAIN and EXPLAIN ANALYZE. */
public final class Explanation {
  private static final String INDENT = "  ";

  private final SelectedHistory selected;
  private final EventSource.View view;
  private final QueryLimits limits;
  private final SliceThreads helpers;

  /**
   * Creates the explanation of a statement.
   *
   * @param helpers the threads that may walk slices of history
   */
  public Explanation(
      SelectedHistory selected, EventSource.View view, QueryLimits limits, SliceThreads helpers) {
    this.selected = selected;
    this.view = view;
    this.limits = limits;
    this.helpers = helpers;
  }

  /**
   * Prints the plan. With ANALYZE, also executes the statement, which ends where it ends without
   * EXPLAIN, and adds the cost, without that of outer queries.
   *
   * @param nanos a clock for the execution time
   */
  public void run(RowSink sink, LongSupplier nanos) {
    CatalogStatements.Table table = new CatalogStatements.Table(sink, "plan");
    String indent = outerQueries(table);
    PlanPrinter.lines(selected.plan(), view, helpers.threads())
        .forEach(line -> table.row(Value.of(indent + line)));
    if (selection().query().explain() == Statement.Explain.ANALYZE) {
      analyze(table, sink, nanos);
    } else {
      selected.plan().warnings().forEach(sink::warning);
    }
  }

  private AnalyzedSelection selection() {
    return selected.selection();
  }

  private void analyze(CatalogStatements.Table table, RowSink sink, LongSupplier nanos) {
    long start = nanos.getAsLong();
    Counting counting = new Counting(sink);
    SelectedHistory.Answer answer = selected.answer(counting, null);
    QueryWalk walk = answer.walk();
    walk.overHistory(limits, view, helpers);
    answer.end().run();
    long micros = (nanos.getAsLong() - start) / 1_000;
    table.row(Value.of("rows: " + counting.rows));
    if (!(selection() instanceof AnalyzedQuery)) {
      table.row(Value.of("rows of the query that walks cuts: " + walk.rows()));
    }
    if (walk.slicesByHelpers() > 0) {
      table.row(Value.of("slices walked by other threads: " + walk.slicesByHelpers()));
    }
    if (walk.slicesElsewhere() > 0) {
      table.row(Value.of("of these, at other servers: " + walk.slicesElsewhere()));
    }
    WalkFigures figures = walk.figures();
    table.row(Value.of("cuts: " + figures.cuts()));
    if (selected.plan().quietRule().isPresent()) {
      table.row(Value.of("passed by the quiet rule: " + figures.passedCuts()));
      table.row(Value.of("blocks answered by their zones: " + figures.blocksPassed()));
    }
    if (walk.silences().changes() > 0) {
      table.row(Value.of("changes of the silent nodes: " + walk.silences().changes()));
    }
    table.row(Value.of("events read: " + figures.eventsRead()));
    String where = walk.slicesElsewhere() > 0 ? " of the slices here" : "";
    table.row(Value.of("blocks" + where + ": " + blocks()));
    table.row(Value.of("time: " + Literals.duration(micros)));
  }

  /** Prints the outer queries, outermost first; returns the indent of the query that walks cuts. */
  private String outerQueries(CatalogStatements.Table table) {
    StringBuilder indent = new StringBuilder();
    AnalyzedSelection at = selection();
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
    return BlockCount.sentence(view);
  }

  /** A sink that counts the rows of a statement, and discards them. */
  private static final class Counting implements RowSink {
    private final RowSink sink;
    private long rows;

    Counting(RowSink sink) {
      this.sink = sink;
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      rows++;
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
