// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.UsedNodes;
import io.retroscope.rql.cut.Completeness;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.plan.TimeWindow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The events that a query over history reads, and the known reasons why some are missing. */
public final class ReadEvents {
  private final AnalyzedQuery query;
  private final Optional<TimeWindow> named;
  private final Horizon horizon;
  private final SilenceLimits silence;

  /**
   * The events of a query.
   *
   * @param named the range that the statement names, which may be longer than the one walked
   */
  public ReadEvents(
      AnalyzedQuery query, Optional<TimeWindow> named, Horizon horizon, SilenceLimits silence) {
    this.query = query;
    this.named = named;
    this.horizon = horizon;
    this.silence = silence;
  }

  /** The missing ones in a range; an earlier event may have set the state at its start. */
  public Completeness completeness(HlcRange walked) {
    return completeness(walked, counts(query), logs(query));
  }

  /** Whether it may depend on the values of a node whether there is a row. */
  public boolean counts(String node) {
    return writers(horizon.view(), query).test(node);
  }

  /** The nodes on whose values it may depend whether a query has a row. */
  static Predicate<String> writers(View view, AnalyzedQuery query) {
    return writers(view, counts(query), logs(query));
  }

  /** As {@link #completeness(HlcRange)}, of all nodes and logs: a message may be of any of them. */
  public Completeness completenessOfAll(HlcRange walked) {
    return completeness(walked, node -> true, Set.of());
  }

  private Completeness completeness(HlcRange walked, Predicate<String> counts, Set<String> logs) {
    View view = horizon.view();
    Completeness.Scope scope = new Completeness.Scope(walked, writers(view, counts, logs), logs);
    Completeness known = view.completeness(scope);
    return horizon.assumesComplete() ? known : known.and(unheard(view, scope));
  }

  private static Set<String> logs(AnalyzedQuery query) {
    Set<String> logs = new HashSet<>();
    query.query().logs().forEach(log -> logs.add(log.text()));
    return logs;
  }

  /** Whether it may depend on the values of a node whether there is a row. */
  private static Predicate<String> counts(AnalyzedQuery query) {
    Set<String> only = new HashSet<>(query.onlyNodes());
    return new Predicate<>() {
      /** Few queries miss anything of a node, so that most of them do not need it. */
      private @Nullable UsedNodes used;

      @Override
      public boolean test(String node) {
        used = used == null ? UsedNodes.ofClauses(query) : used;
        return (only.isEmpty() || only.contains(node)) && used.usesAny(node);
      }
    };
  }

  /** The nodes that count, without those that only write other logs. Each is examined once. */
  private static Predicate<String> writers(View view, Predicate<String> counts, Set<String> logs) {
    Map<String, Boolean> known = new HashMap<>();
    return node ->
        counts.test(node) && known.computeIfAbsent(node, name -> view.mayWrite(name, logs));
  }

  /** What a query does not know of nodes that are silent or whose blocks are missing. */
  public List<Incompleteness> unheard(HlcRange walked) {
    View view = horizon.view();
    return unheard(view, new Completeness.Scope(walked, writers(view, query), logs(query)));
  }

  /** The nodes whose latest events may be missing. */
  private List<Incompleteness> unheard(View view, Completeness.Scope scope) {
    List<Incompleteness> reasons = new ArrayList<>();
    long end = scope.range().to();
    boolean isWhole = end >= horizon.hlc();
    long asked = isWhole ? named.map(window -> window.range().to()).orElse(end) : end;
    for (NodeFrontier frontier : view.frontiers()) {
      boolean isMissing = frontier.missingBlocks() > 0 && frontier.hlc() < end;
      boolean concerns =
          (isMissing || isSilent(frontier, asked, end)) && scope.counts().test(frontier.node());
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
   * On a server, each event before an end that is given counts, because it may still arrive. Without
   * such an end, and in a file, the last events of nodes are some time apart: they do not send at the
   * same moment.
   */
  private boolean isSilent(NodeFrontier frontier, long asked, long end) {
    if (frontier.assuredMicros() == 0 || !silence.isTime(frontier.hlc())) {
      return false; // Nothing says that there is more: a file without heartbeats is whole.
    }
    boolean isGiven = Horizon.isEndGiven(query.query());
    if (isGiven && horizon.watermark().isPresent()) {
      return frontier.hlc() < end;
    }
    long last = isGiven ? end : asked;
    return HlcTimestamp.micros(last) - HlcTimestamp.micros(frontier.hlc())
        > silence.promised(frontier.assuredMicros());
  }
}
