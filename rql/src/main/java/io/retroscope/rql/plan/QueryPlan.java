// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.RqlFunction;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.Response.Order;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.evaluation.AgeSearch;
import io.retroscope.rql.evaluation.LikePattern;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.Translator;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * The plan of a run of a query: the events that are read, and the rows that are made of them.
 * Immutable; a walk executes it after it was bound to a state.
 *
 * @param text the statement's text, for errors
 * @param rules returns the rule to use for the one of WHEN; tests use others
 * @param warnings the sentences that the answer must contain whatever its rows are
 */
public record QueryPlan(
    String text,
    AnalyzedQuery query,
    Slice slice,
    Output output,
    Input input,
    UnaryOperator<QuietRule> rules,
    List<String> warnings) {
  /**
   * The time slice that is walked, which threads and servers may share ({@link TimeSlices}).
   *
   * @param start packed, the first stamp that may be a cut
   * @param history the stamps that are walked before live events; empty if there are none
   * @param single whether there is only one cut, at the start, which is always evaluated
   * @param live whether the walk continues with live events
   */
  public record Slice(long start, Optional<HlcRange> history, boolean single, boolean live) {}

  /**
   * The rows that are made of the cuts at which WHEN holds.
   *
   * @param forMicros how long a run of cuts must last to count
   * @param limit the largest number of rows
   * @param keepsState whether a GLOBAL keeps its value from cut to cut
   */
  public record Output(Emit emit, OptionalLong forMicros, long limit, boolean keepsState) {
    /** Whether rows depend on runs of cuts, not on single cuts. */
    public boolean followsRuns() {
      return emit != Emit.CUTS || forMicros.orElse(0) > 0;
    }
  }

  /**
   * The data that is read from storage.
   *
   * @param logs the names of logs
   * @param variables the named variables, whose writes make cuts
   * @param forEach the pattern of FOR EACH VARIABLE
   * @param onlyNodes the nodes of AT NODES; empty if every node counts
   * @param liveNodes whether silent nodes are left out
   * @param usesAges whether ages of nodes are used
   * @param usesWriteAges whether an age depends on writes that change nothing
   * @param usesClocks whether an expression depends on the alignment of clocks
   */
  public record Input(
      Set<String> logs,
      Set<Reference.Variable> variables,
      Optional<String> forEach,
      List<String> onlyNodes,
      boolean liveNodes,
      boolean usesAges,
      boolean usesWriteAges,
      boolean usesClocks) {
    /** Returns which names of variables FOR EACH VARIABLE selects. */
    public Predicate<String> eachVariable() {
      return forEach
          .map(LikePattern::of)
          .<Predicate<String>>map(pattern -> pattern::matches)
          .orElse(name -> false);
    }
  }

  /** Returns the same plan with other rules; none may change a row. */
  public QueryPlan withRules(UnaryOperator<QuietRule> others) {
    return new QueryPlan(text, query, slice, output, input, others, warnings);
  }

  /** Compiles the clauses over a new, empty state. */
  public BoundPlan bind(QueryLimits limits) {
    return bind(new CutBatch(new CutState(new LinkedHashSet<>(query.onlyNodes()))), limits);
  }

  /**
   * Compiles the clauses over the batch of an empty state, which may be that of another plan which
   * follows the same variables and nodes.
   */
  public BoundPlan bind(CutBatch batch, QueryLimits limits) {
    CutState state = batch.state();
    if (input.usesWriteAges()) {
      state.keepWrites();
    }
    if (AgeSearch.calls(RqlFunction.PerNode.SILENCE, query.query().expressions())) {
      state.signs().follow();
    }
    return new BoundPlan(
        this, batch, new CompiledQuery(query, Translator.over(batch, query, limits)));
  }

  /**
   * The first stamp whose cuts are read, packed: before the range if AFTER looks back, to the first
   * event without WITHIN.
   */
  public long readsFrom() {
    return query
        .response()
        .filter(clause -> clause.order() == Order.AFTER)
        .map(clause -> before(slice.start(), clause.withinMicros()))
        .orElse(slice.start());
  }

  private static long before(long start, OptionalLong withinMicros) {
    long micros = HlcTimestamp.micros(start);
    return withinMicros.isEmpty() || micros < withinMicros.getAsLong()
        ? HlcTimestamp.MIN_PACKED
        : HlcTimestamp.pack(micros - withinMicros.getAsLong());
  }

  /** Returns the same plan with another warning. */
  public QueryPlan withWarning(String sentence) {
    List<String> all = new ArrayList<>(warnings);
    all.add(sentence);
    return new QueryPlan(text, query, slice, output, input, rules, all);
  }

  /**
   * Plans a run over history.
   *
   * @param window empty if nothing is stored
   */
  public static QueryPlan overHistory(
      String text, AnalyzedQuery query, Optional<TimeWindow> window) {
    Slice slice =
        new Slice(
            window.map(found -> found.range().from()).orElse(HlcTimestamp.MIN_PACKED),
            window.map(TimeWindow::range),
            window.map(TimeWindow::single).orElse(false),
            query.query().stream());
    return of(text, query, slice);
  }

  /**
   * Plans a STREAM.
   *
   * @param start packed, its first stamp
   */
  public static QueryPlan live(String text, AnalyzedQuery query, long start) {
    return of(text, query, new Slice(start, Optional.empty(), false, true));
  }

  private static QueryPlan of(String text, AnalyzedQuery query, Slice slice) {
    Statement.Query statement = query.query();
    return new QueryPlan(
        text,
        query,
        slice,
        new Output(
            query.emit(),
            statement.when().map(Statement.When::forMicros).orElseGet(OptionalLong::empty),
            statement.limit().orElse(Long.MAX_VALUE),
            query.hasGlobals()),
        input(query),
        UnaryOperator.identity(),
        slice.single() ? query.warningsAtOneCut() : query.warnings());
  }

  private static Input input(AnalyzedQuery query) {
    Statement.Query statement = query.query();
    Set<String> logs = new LinkedHashSet<>();
    statement.logs().forEach(log -> logs.add(log.text()));
    return new Input(
        logs,
        query.variables(),
        statement
            .forEach()
            .filter(ForEach.OfVariable.class::isInstance)
            .map(each -> ((ForEach.OfVariable) each).like().orElse("%")),
        query.onlyNodes(),
        statement.nodes().isLive(),
        AgeSearch.calls(RqlFunction.PerNode.AGE, statement.expressions()),
        AgeSearch.calls(RqlFunction.PerNode.WRITE_AGE, statement.expressions()),
        AgeSearch.calls(RqlFunction.OfCut.WALL_TIME, statement.expressions()));
  }
}
