// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.response;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Response.Order;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.engine.run.Emissions;
import io.retroscope.rql.engine.run.ShortRuns;
import io.retroscope.rql.plan.BoundPlan;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The patterns of THEN and AFTER of a walk's questions, and their counts. Used by one thread. */
public final class Responses {
  private final Emit emit;
  private final long forMicros;
  private final List<String> onlyNodes;
  private final AnswerDoubt doubt;
  private EventSource.@Nullable View view;
  private final ShortRuns shortResponses = new ShortRuns();
  private long cuts;
  private long cutsBefore;
  private long triggers;
  private long undecided;

  /** Creates the counts of a walk that has not begun. */
  public Responses(BoundPlan plan, RowSink sink) {
    this.doubt = new AnswerDoubt(plan, sink);
    this.emit = plan.output().emit();
    this.forMicros = plan.output().forMicros().orElse(0);
    this.onlyNodes = plan.input().onlyNodes();
  }

  /** Sets the events in which losses are looked up until the next call. */
  public void setView(EventSource.View now) {
    view = now;
  }

  /**
   * Creates the pattern of one question.
   *
   * @param rows what it needs of the walk
   * @param outlet receives its rows
   */
  public ResponsePattern pattern(Response clause, ResponseRows rows, Emissions.Outlet outlet) {
    long within = clause.withinMicros().orElse(Long.MAX_VALUE);
    if (clause.order() == Order.AFTER) {
      return new PrecededRuns(rows, forMicros, within, clause.negated(), emit, outlet);
    }
    return clause.negated()
        ? new OverdueTriggers(rows, forMicros, within, emit == Emit.EDGES)
        : new AnsweredTriggers(rows, forMicros, within);
  }

  /** Whether events of a node that counts are lost from one stamp to another. */
  public boolean isLost(long fromHlc, long toHlc) {
    return view != null
        && view.gaps(new HlcRange(fromHlc, toHlc)).stream()
            .anyMatch(gap -> onlyNodes.isEmpty() || onlyNodes.contains(gap.node()));
  }

  /** Counts a cut at the present stamp. */
  public void atCut() {
    cutsBefore = cuts++;
  }

  /** Counts cuts that changed nothing, up to the present stamp. */
  public void passed(long count) {
    cutsBefore = cuts + count - 1;
    cuts += count;
  }

  /** Records that the present stamp has no cut. */
  public void betweenCuts() {
    cutsBefore = cuts;
  }

  /** The number of cuts so far. */
  public long cuts() {
    return cuts;
  }

  /** The number of cuts before the present stamp. */
  public long cutsBefore() {
    return cutsBefore;
  }

  /** Counts a trigger at the present cut. */
  public void triggered() {
    triggers++;
    doubt.triggered();
  }

  /** Counts triggers whose deadline is after the end of the range. */
  public void undecided(long more) {
    undecided += more;
  }

  /** What came in time, as runs that are not as long as WITHIN allows. */
  public ShortRuns shortResponses() {
    return shortResponses;
  }

  /** The number of triggers so far. */
  public long triggers() {
    return triggers;
  }

  /** The triggers that are open at the end of the range; empty if nothing is. */
  public Optional<String> openAtEnd() {
    return undecided == 0
        ? Optional.empty()
        : Optional.of(
            "%d %s open at the end of the range: WITHIN ends later"
                .formatted(undecided, undecided == 1 ? "trigger is" : "triggers are"));
  }
}
