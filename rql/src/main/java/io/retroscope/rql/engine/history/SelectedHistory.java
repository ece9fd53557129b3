// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.history;

import io.retroscope.rql.analysis.AnalyzedOuterQuery;
import io.retroscope.rql.analysis.AnalyzedSelection;
import io.retroscope.rql.analysis.AnalyzedVerdict;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.MomentaryVariables;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.completeness.Horizon;
import io.retroscope.rql.engine.completeness.ReadEvents;
import io.retroscope.rql.engine.slice.SliceThreads;
import io.retroscope.rql.engine.walk.QueryWalk;
import io.retroscope.rql.engine.walk.Track;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.outer.OuterRows;
import io.retroscope.rql.outer.VerdictRow;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeWindow;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A statement over history: the plan of the query that walks cuts, and the statements around it,
 * which receive its rows.
 *
 * @param text of the statement
 * @param asked the range that the statement names, which may be longer than the one walked
 */
public record SelectedHistory(
    String text,
    AnalyzedSelection selection,
    BoundPlan plan,
    Optional<TimeWindow> asked,
    Horizon horizon,
    QueryLimits limits) {
  private static final Set<String> MESSAGES =
      Set.of(MomentaryVariables.SEND, MomentaryVariables.RECEIVE);

  /**
   * Plans a statement over the events of a view.
   *
   * @param stored how far the stored events are complete, with their view
   * @param rules changes the quiet rules of the query; may not change a row
   * @throws RqlException if its range ends before it starts
   */
  public static SelectedHistory of(
      String text,
      AnalyzedSelection selection,
      Horizon stored,
      QueryLimits limits,
      UnaryOperator<QuietRule> rules) {
    Horizon horizon = stored.of(selection.walk());
    Optional<TimeWindow> asked =
        TimeWindow.of(text, selection.walk().query(), horizon.view().history(), horizon.now());
    Optional<TimeWindow> window = asked.flatMap(all -> horizon.part(selection.walk().query(), all));
    QueryPlan plan = QueryPlan.overHistory(text, selection.walk(), window).withRules(rules);
    QueryPlan warned = asked.equals(window) ? plan : plan.withWarning(horizon.sentence());
    return new SelectedHistory(text, selection, warned.bind(limits), asked, horizon, limits);
  }

  /** Returns the same statement over the state of another one, which follows the same variables. */
  SelectedHistory over(BoundPlan other) {
    BoundPlan shared = plan.plan().bind(other.batch(), limits);
    return new SelectedHistory(text, selection, shared, asked, horizon, limits);
  }

  /**
   * Executes the statement, and sends its rows.
   *
   * @param helpers the threads that may walk slices of history
   */
  public void run(RowSink sink, SliceThreads helpers) {
    Answer answer = answer(sink, null);
    answer.walk().overHistory(limits, horizon.view(), helpers);
    answer.end().run();
  }

  /**
   * Creates the walk and the receivers of its rows.
   *
   * @param track the walk of several queries that moves the state; null if this one moves it
   */
  Answer answer(RowSink sink, @Nullable Track track) {
    return answer(selection, sink, track);
  }

  private Answer answer(AnalyzedSelection selection, RowSink receiver, @Nullable Track track) {
    if (selection instanceof AnalyzedOuterQuery outer) {
      OuterRows rows = new OuterRows(text, outer, limits, receiver);
      Answer inner = answer(outer.inner(), rows, track);
      return inner.then(receiver, rows::finish);
    }
    if (selection instanceof AnalyzedVerdict verdict) {
      VerdictRow row = new VerdictRow(verdict, receiver);
      Answer evidence = answer(verdict.evidence(), row, track);
      return evidence.then(
          receiver,
          () -> {
            EmptyStart.doubt(verdict.query().kind(), plan, limits, horizon.view())
                .ifPresent(receiver::warning);
            VerdictDoubt doubt = doubt(verdict.query().kind(), evidence.walk());
            assumed().forEach(receiver::warning);
            row.finish(
                doubt.ofAbsence(),
                doubt::ofRow,
                evidence.walk().shortRuns().mayBeLong(),
                doubt::isBorderline);
          });
    }
    QueryWalk walk = new QueryWalk(plan, limits, Optional.empty(), receiver, track);
    return new Answer(
        walk,
        () -> {
          if (horizon.isBefore(walk.lastCut())) {
            receiver.warning(horizon.sentence() + "; later cuts are preliminary");
          }
          endOfRows(walk, receiver);
        });
  }

  /** Sends the warnings about what a walk over history does not notice by itself. */
  private void endOfRows(QueryWalk walk, RowSink receiver) {
    if (plan.slice().history().isPresent()) {
      HlcRange walked = plan.slice().history().get();
      long end = walk.isFinished() ? Math.min(walk.place().hlc(), walked.to()) : walked.to();
      events().unheard(new HlcRange(Math.min(walked.from(), end), end)).stream()
          .filter(reason -> !walk.silences().covers(reason))
          .forEach(reason -> receiver.warning(reason.sentence()));
    }
    emptyRange().map(Incompleteness::sentence).or(this::passedMoments).ifPresent(receiver::warning);
  }

  /**
   * A hint at variables without any value at a single cut, as those of log lines are at almost
   * every instant. One that is set later only cannot be distinguished from them without those later
   * events.
   */
  private Optional<String> passedMoments() {
    if (!plan.slice().single()) {
      return Optional.empty();
    }
    Catalog catalog = Catalog.of(horizon.view());
    List<String> names =
        plan.input().variables().stream()
            .filter(v -> catalog.variables(v.log()).contains(MomentaryVariables.MESSAGE))
            .filter(v -> !MESSAGES.contains(v.name()))
            .map(v -> plan.state().follow(v.log(), v.name()))
            .filter(column -> !column.holdsState() && column.present() == 0)
            .map(VariableColumn::name)
            .toList();
    return names.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s: no value at this instant; a log line's message and fields hold at its own stamp only, other variables from when they are set"
                .formatted(String.join(", ", names)));
  }

  /** The reason why a range before all events is empty: a mistyped day, usually. */
  private Optional<Incompleteness> emptyRange() {
    Optional<HlcRange> stored = horizon.view().history();
    return asked
        .filter(window -> plan.query().query().onTime().isPresent())
        .filter(window -> stored.isPresent() && window.range().to() < stored.get().from())
        .map(
            window ->
                new Incompleteness.BeforeHistory(
                    window.range().from(), stored.orElseThrow().from()));
  }

  /** What a verdict assumes. */
  private List<String> assumed() {
    return horizon.assumesComplete() && plan.slice().history().isPresent()
        ? events().unheard(plan.slice().history().get()).stream()
            .map(reason -> "assumed to be complete: " + reason.sentence())
            .toList()
        : List.of();
  }

  private ReadEvents events() {
    return new ReadEvents(
        plan.query(), asked, horizon, new SilenceLimits(limits.idleTimeoutMicros()));
  }

  private VerdictDoubt doubt(Statement.Claim kind, QueryWalk walk) {
    return new VerdictDoubt(kind, plan, asked, walk, horizon, events());
  }

  /**
   * The walk of a statement and what follows it.
   *
   * @param end to be run when the walk has ended; may fail as the walk does
   */
  record Answer(QueryWalk walk, Runnable end) {
    private Answer then(RowSink receiver, Runnable next) {
      return new Answer(
          walk,
          () -> {
            end.run();
            if (!receiver.cancelled()) {
              next.run();
            }
          });
    }
  }
}
