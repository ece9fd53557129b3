// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.Message.DoViewChange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The merge of the logs of a majority into the log of the next view.
 *
 * <p>An operation that a client took as done is at the same position, after the same past, in the
 * logs of a superquorum, and so in ⌈f/2⌉+1 of any majority. The merged log begins with whatever
 * that many logs agree on; other operations follow in any order.
 */
final class Reconciliation {
  private Reconciliation() {}

  /**
   * The merged log after a stable position.
   *
   * @param logs those of a majority
   * @param own the leader's requests after {@code stable}, which all logs have where they start
   *     later
   */
  static List<Request> merge(
      Collection<DoViewChange> logs, int stable, List<Request> own, Quorums quorums) {
    int latestView = logs.stream().mapToInt(DoViewChange::lastNormalView).max().orElseThrow();
    DoViewChange furthest =
        logs.stream().max(Comparator.comparingInt(DoViewChange::committed)).orElseThrow();
    int committed = Math.max(0, furthest.committed() - stable);
    Set<Request> merged = new LinkedHashSet<>(aligned(furthest, stable, own).subList(0, committed));
    List<List<Request>> all = logs.stream().map(log -> aligned(log, stable, own)).toList();
    List<List<Request>> latest =
        logs.stream()
            .filter(log -> log.lastNormalView() == latestView)
            .map(log -> aligned(log, stable, own))
            .toList();
    addAgreed(merged, latest, quorums);
    latest.forEach(merged::addAll);
    all.forEach(merged::addAll);
    return List.copyOf(merged);
  }

  /** The requests of a log after a position, whichever stable position it starts from. */
  private static List<Request> aligned(DoViewChange log, int stable, List<Request> own) {
    if (log.stable() <= stable) {
      return log.log().subList(stable - log.stable(), log.log().size());
    }
    List<Request> aligned = new ArrayList<>(own.subList(0, log.stable() - stable));
    aligned.addAll(log.log());
    return aligned;
  }

  private static void addAgreed(Set<Request> merged, List<List<Request>> latest, Quorums quorums) {
    List<Request> soFar = new ArrayList<>(merged);
    while (true) {
      int length = soFar.size();
      Map<Request, Long> next =
          latest.stream()
              .filter(log -> log.size() > length && log.subList(0, length).equals(soFar))
              .map(log -> log.get(length))
              .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
      List<Request> agreed =
          next.entrySet().stream()
              .filter(entry -> entry.getValue() >= quorums.retained())
              .map(Map.Entry::getKey)
              .toList();
      if (agreed.size() != 1) {
        return;
      }
      soFar.add(agreed.get(0));
      merged.add(agreed.get(0));
    }
  }
}
