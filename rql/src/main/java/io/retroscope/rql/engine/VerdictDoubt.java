package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.ast.Statement.Claim;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeWindow;
import java.util.List;
import java.util.Optional;

/** The reason for which the absence of rows proves nothing about a claim. */
final class VerdictDoubt {
  private VerdictDoubt() {}

  /**
   * Returns the first reason, empty if there is none.
   *
   * @param named the range that the statement names, which may be longer than the one walked
   */
  static Optional<String> of(
      Claim kind,
      QueryPlan plan,
      Optional<TimeWindow> named,
      QueryWalk walk,
      Completeness completeness) {
    EventSource.View view = completeness.view();
    Optional<HlcRange> walked = plan.slice().history();
    if (walked.isEmpty() || walk.figures().cuts() == 0) {
      return Optional.of("nothing that it names was recorded in the range");
    }
    // A lost event may have written what the cut at the start shows.
    HlcRange known = new HlcRange(HlcTimestamp.MIN_PACKED, walked.get().to());
    return beginsTooEarly(plan, named, view)
        .or(() -> lostEvents(plan, known, view))
        .or(() -> view.warnings(known).stream().findFirst())
        .or(() -> noTrigger(plan, walk))
        .or(() -> walk.responses().openAtEnd())
        .or(() -> endsTooLate(kind, named, completeness));
  }

  private static Optional<String> beginsTooEarly(
      QueryPlan plan, Optional<TimeWindow> named, EventSource.View view) {
    boolean given = plan.query().query().onTime().isPresent() && !plan.slice().single();
    if (!given || named.isEmpty() || view.extent().isEmpty()) {
      return Optional.empty();
    }
    long from = named.get().range().from();
    long history = view.extent().get().from();
    return from >= history
        ? Optional.empty()
        : Optional.of(
            "the range begins at %s, and the events at %s".formatted(time(from), time(history)));
  }

  private static Optional<String> noTrigger(QueryPlan plan, QueryWalk walk) {
    return plan.query().response().isPresent() && walk.responses().triggers() == 0
        ? Optional.of("nothing triggered it: WHEN was never TRUE")
        : Optional.empty();
  }

  private static String time(long hlc) {
    return HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
  }

  private static Optional<String> lostEvents(
      QueryPlan plan, HlcRange known, EventSource.View view) {
    List<String> nodes = plan.input().onlyNodes();
    return view.gaps(known).stream()
        .filter(gap -> nodes.isEmpty() || nodes.contains(gap.node()))
        .findFirst()
        .map(VerdictDoubt::sentence);
  }

  private static String sentence(Gap gap) {
    return "events of node %s are lost between %s and %s"
        .formatted(gap.node(), time(gap.range().from()), time(gap.range().to()));
  }

  /** What has not come yet may come before the end of the range is complete. */
  private static Optional<String> endsTooLate(
      Claim kind, Optional<TimeWindow> named, Completeness completeness) {
    boolean open = named.isPresent() && completeness.isBefore(named.get().range().to());
    return kind == Claim.EVENTUALLY && open
        ? Optional.of(completeness.sentence())
        : Optional.empty();
  }
}
