package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Reference;
import io.retroscope.rql.analysis.UsedNodes;
import io.retroscope.rql.cut.Completeness;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.rql.cut.SilenceLimits;
import io.retroscope.rql.plan.TimeWindow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The events that a query over history reads, and what is known to be missing of them. */
final class ReadEvents {
  private final AnalyzedQuery query;
  private final Optional<TimeWindow> named;
  private final Horizon horizon;
  private final SilenceLimits silence;

  /**
   * The events of a query.
   *
   * @param named the range that the statement names, which may be longer than the one walked
   */
  ReadEvents(
      AnalyzedQuery query, Optional<TimeWindow> named, Horizon horizon, SilenceLimits silence) {
    this.query = query;
    this.named = named;
    this.horizon = horizon;
    this.silence = silence;
  }

  /** What is missing of them in a range; an earlier event may have set the state at its start. */
  Completeness completeness(HlcRange walked) {
    return completeness(walked, counts(query), logs());
  }

  /** As {@link #completeness(HlcRange)}, of all nodes and logs: a message may be of any of them. */
  Completeness completenessOfAll(HlcRange walked) {
    return completeness(walked, node -> true, Set.of());
  }

  private Completeness completeness(HlcRange walked, Predicate<String> counts, Set<String> logs) {
    View view = horizon.view();
    Completeness.Scope scope =
        new Completeness.Scope(new HlcRange(HlcTimestamp.MIN_PACKED, walked.to()), counts, logs);
    return view.completeness(scope).and(unheard(view, scope));
  }

  private Set<String> logs() {
    Set<String> logs = new HashSet<>();
    query.query().logs().forEach(log -> logs.add(log.text()));
    return logs;
  }

  /** Whether the query uses the values of a node. */
  private static Predicate<String> counts(AnalyzedQuery query) {
    Set<String> only = new HashSet<>(query.onlyNodes());
    UsedNodes used = UsedNodes.of(query);
    Set<Reference.Variable> variables = query.variables();
    return node ->
        (only.isEmpty() || only.contains(node))
            && (variables.isEmpty()
                || variables.stream()
                    .anyMatch(variable -> used.uses(variable.log(), variable.name(), node)));
  }

  /** The nodes whose latest events may be missing. */
  private List<Incompleteness> unheard(View view, Completeness.Scope scope) {
    List<Incompleteness> reasons = new ArrayList<>();
    long asked = named.map(window -> window.range().to()).orElse(scope.range().to());
    long end = Math.min(asked, horizon.hlc());
    for (NodeFrontier frontier : view.frontiers()) {
      boolean isMissing = frontier.missingBlocks() > 0 && frontier.hlc() < end;
      boolean concerns =
          (isMissing || isSilent(frontier, asked, end))
              && scope.counts().test(frontier.node())
              && view.mayWrite(frontier.node(), scope.logs());
      if (concerns && isMissing) {
        reasons.add(
            new Incompleteness.MissingBlocks(
                frontier.node(), frontier.hlc(), frontier.missingBlocks()));
      } else if (concerns) {
        reasons.add(new Incompleteness.Silent(frontier.node(), frontier.hlc()));
      }
    }
    return reasons;
  }

  /*
   * In a range whose end is given, each event counts. One that ends with the known events may end
   * some time before the last of them: nodes do not send at the same moment.
   */
  private boolean isSilent(NodeFrontier frontier, long asked, long end) {
    if (frontier.assuredMicros() == 0 || !silence.isTime(frontier.hlc())) {
      return false; // Nothing says that there is more: a file without heartbeats is whole.
    }
    if (Horizon.isEndGiven(query.query())) {
      return frontier.hlc() < end;
    }
    return HlcTimestamp.micros(asked) - HlcTimestamp.micros(frontier.hlc())
        > silence.promised(frontier.assuredMicros());
  }
}
