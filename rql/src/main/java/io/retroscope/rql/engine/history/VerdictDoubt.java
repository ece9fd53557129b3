// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.history;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Statement.Claim;
import io.retroscope.rql.cut.Bearing;
import io.retroscope.rql.cut.ClockOrder;
import io.retroscope.rql.cut.Completeness;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.engine.completeness.Horizon;
import io.retroscope.rql.engine.completeness.ReadEvents;
import io.retroscope.rql.engine.walk.QueryWalk;
import io.retroscope.rql.outer.VerdictRow;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.TimeWindow;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The reasons for which the rows of a walk, or their absence, prove nothing about a claim. */
final class VerdictDoubt {
  private final Claim kind;
  private final BoundPlan plan;
  private final Optional<TimeWindow> named;
  private final QueryWalk walk;
  private final Horizon horizon;
  private final ReadEvents events;
  private final Completeness completeness;

  /**
   * Finds the reasons.
   *
   * @param named the range that the statement names, which may be longer than the one walked
   */
  VerdictDoubt(
      Claim kind,
      BoundPlan plan,
      Optional<TimeWindow> named,
      QueryWalk walk,
      Horizon horizon,
      ReadEvents events) {
    this.kind = kind;
    this.plan = plan;
    this.named = named;
    this.walk = walk;
    this.horizon = horizon;
    this.events = events;
    completeness =
        plan.slice().history().map(this::read).map(events::completeness).orElse(Completeness.FULL);
  }

  /** The cuts that are read: AFTER looks back from the first one of the range. */
  private HlcRange read(HlcRange range) {
    return new HlcRange(Math.min(plan.plan().readsFrom(), range.from()), range.to());
  }

  /** The first reason for which the absence of rows proves nothing; empty if there is none. */
  Optional<String> ofAbsence() {
    if (plan.slice().history().isEmpty() || walk.figures().cuts() == 0) {
      return Optional.of(VerdictRow.NOTHING_RECORDED);
    }
    return beginsTooEarly(plan, named, horizon.view())
        .or(() -> completeness.first(Bearing.UNDECIDES))
        .map(Incompleteness::sentence)
        .or(() -> noTrigger())
        .or(() -> walk.responses().openAtEnd())
        .or(() -> walk.hidden())
        .or(() -> lostInAges())
        .or(() -> endsTooLate().map(Incompleteness::sentence));
  }

  /**
   * A reason for which a row may not have been; empty if there is none. Events that are missing
   * after the row cannot undo it.
   *
   * @param hlc packed, the last stamp on which the row depends
   */
  Optional<String> ofRow(long hlc) {
    return completeness.reasons().stream()
        .filter(reason -> Bearing.of(reason) == Bearing.UNDECIDES)
        .filter(reason -> reason.range().from() < hlc)
        .findFirst()
        .map(Incompleteness::sentence);
  }

  /**
   * Whether the clocks could reverse a verdict over these events.
   *
   * @param run of the cuts that decided it; empty if all cuts of the range did
   */
  boolean isBorderline(Optional<HlcRange> run) {
    Set<String> nodes = new HashSet<>();
    completeness.reasons().stream()
        .filter(reason -> Bearing.of(reason) == Bearing.BORDERLINE)
        .forEach(reason -> nodes.addAll(reason.nodes()));
    nodes.removeIf(node -> !events.counts(node));
    return nodes.size() > 1
        && !ClockOrder.of(horizon.view(), walk.walker().interestOf(walk), range(), run).isSure();
  }

  /** The events before the range have set the state at its start. */
  private HlcRange range() {
    return new HlcRange(HlcTimestamp.MIN_PACKED, plan.slice().history().orElse(HlcRange.ALL).to());
  }

  /** The reason for which earlier state is not known; empty if it is. */
  static Optional<Incompleteness> beginsTooEarly(
      BoundPlan plan, Optional<TimeWindow> named, EventSource.View view) {
    boolean given = plan.query().query().onTime().isPresent() && !plan.slice().single();
    if (!given || named.isEmpty() || view.history().isEmpty()) {
      return Optional.empty();
    }
    long from = named.get().range().from();
    long history = view.history().get().from();
    return from >= history
        ? Optional.empty()
        : Optional.of(new Incompleteness.BeforeHistory(from, history));
  }

  private Optional<String> noTrigger() {
    return plan.query().response().isPresent() && walk.responses().triggers() == 0
        ? Optional.of(VerdictRow.NOTHING_TRIGGERED)
        : Optional.empty();
  }

  /** Ages are measured by stamps. */
  private Optional<String> lostInAges() {
    return plan.clauses().ages().isEmpty() ? Optional.empty() : walk.lostTime().sentence();
  }

  /** What has not come yet may come before the end of the range is complete. */
  private Optional<Incompleteness> endsTooLate() {
    boolean isOpen = named.isPresent() && horizon.isBefore(named.get().range().to());
    boolean isAsked = kind.isFulfilledByOne() || Horizon.isEndGiven(plan.query().query());
    return isOpen && isAsked ? Optional.of(horizon.reason()) : Optional.empty();
  }
}
