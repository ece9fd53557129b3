package io.retroscope.rql.engine;

import io.retroscope.event.Value;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.CutState;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.evaluation.Extremes;
import io.retroscope.rql.evaluation.LikePattern;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.Translator;
import io.retroscope.rql.plan.PlanPrinter;
import io.retroscope.rql.plan.QueryPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** The statements EXPLAIN and EXPLAIN ANALYZE. */
final class Explanation {
  private static final String BY_EXTREMES = "by the smallest and the largest value";

  private final PreparedQuery query;
  private final EventSource.View view;
  private final QueryLimits limits;
  private final Optional<TimeWindow> window;

  Explanation(
      PreparedQuery query, EventSource.View view, QueryLimits limits, Optional<TimeWindow> window) {
    this.query = query;
    this.view = view;
    this.limits = limits;
    this.window = window;
  }

  /**
   * Prints the plan. ANALYZE also runs the query and adds its costs.
   *
   * @param nanos a clock that is used only for measuring
   */
  void run(RowSink sink, LongSupplier nanos) {
    AnalyzedQuery analyzed = query.query();
    CatalogStatements.Table table = new CatalogStatements.Table(sink, "plan");
    Optional<HlcRange> range = window.map(TimeWindow::range);
    boolean single = window.map(TimeWindow::single).orElse(false);
    QueryPlan plan = plan(analyzed, range, single);
    PlanPrinter.lines(plan).forEach(line -> table.row(Value.of(line)));
    if (analyzed.query().explain() == Statement.Explain.ANALYZE) {
      long start = nanos.getAsLong();
      QueryWalk walk = QueryWalk.overHistory(query, limits, window, view, new Counting(sink));
      long micros = (nanos.getAsLong() - start) / 1_000;
      table.row(Value.of("rows: " + walk.rows()));
      table.row(Value.of("cuts: " + walk.cuts()));
      table.row(Value.of("events read: " + walk.eventsRead()));
      table.row(Value.of("blocks: " + blocks()));
      table.row(Value.of("time: " + Literals.duration(micros)));
    }
  }

  private String blocks() {
    return view.blocks()
        .map(count -> count.read() + " read, " + count.skipped() + " skipped")
        .orElse("none, all events are in memory");
  }

  private QueryPlan plan(AnalyzedQuery analyzed, Optional<HlcRange> range, boolean single) {
    Translator translator = Translator.over(new CutState(Set.of()), analyzed, limits);
    Statement.Query asked = analyzed.query();
    Predicate<String> isEach =
        asked
            .forEach()
            .map(each -> LikePattern.of(each.like().orElse("%")))
            .<Predicate<String>>map(pattern -> pattern::matches)
            .orElse(name -> false);
    return QueryPlan.of(
        analyzed,
        view,
        range,
        single,
        isEach,
        AgeSearch.in(asked.expressions(), translator).size(),
        asked.when().map(when -> form(when.predicate(), translator)));
  }

  /** Describes how a predicate is evaluated. */
  private static String form(Expression predicate, Translator translator) {
    long extremesBefore = translator.byExtremes();
    long bindingsBefore = translator.byBindings();
    if (translator.one(predicate) instanceof Extremes) {
      return BY_EXTREMES + ", kept up to date while all are LONGs";
    }
    List<String> quantifiers = new ArrayList<>();
    addCount(quantifiers, translator.byExtremes() - extremesBefore, BY_EXTREMES);
    addCount(quantifiers, translator.byBindings() - bindingsBefore, "by trying every binding");
    return "evaluated at every cut"
        + (quantifiers.isEmpty() ? "" : ", with " + String.join(" and ", quantifiers));
  }

  private static void addCount(List<String> quantifiers, long count, String how) {
    if (count > 0) {
      quantifiers.add(count + (count == 1 ? " quantifier " : " quantifiers ") + how);
    }
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
