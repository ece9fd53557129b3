// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.examples.ordering.OrderingScene.PlayedAct;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What must hold, known from the replicas' logs and the clients' notes, which have no stamps. */
final class OrderingOracle {
  private final History history;
  private final List<ReplicaState> states;
  private final List<ClientNote> notes;
  private final List<PlayedAct> acts;
  private final List<Match> stretches;
  private final Map<Integer, Double> shares = new TreeMap<>();

  OrderingOracle(
      History history, List<ReplicaState> states, List<ClientNote> notes, List<PlayedAct> acts)
      throws StageException, IOException {
    this.history = history;
    this.states = states;
    this.notes = notes;
    this.acts = acts;
    this.stretches = history.intervals(OrderingCase.OTHER_ORDER);
    for (int percent : acts.stream().map(PlayedAct::percent).collect(Collectors.toSet())) {
      shares.put(percent, shareOutOfOrder(idsSent(percent)));
    }
  }

  List<Check> checks() throws StageException, IOException {
    return List.of(
        oneLog(),
        doneStays(),
        requestsBeforeExecutions(),
        ordersByActs(),
        noneWithTheSequencer(),
        someWithout(),
        neverTooEarly());
  }

  private Set<String> idsSent(int percent) {
    return notes.stream()
        .filter(note -> note.percent() == percent)
        .map(ClientNote::id)
        .collect(Collectors.toSet());
  }

  private Check oneLog() {
    List<String> log = states.get(0).log();
    Set<String> sent =
        notes.stream()
            .filter(note -> !note.isDone())
            .map(ClientNote::id)
            .collect(Collectors.toSet());
    boolean same =
        states.stream()
            .allMatch(
                state ->
                    state.log().equals(log)
                        && state.content().equals(states.get(0).content())
                        && state.committed() == log.size());
    return new Check(
        "at the end all replicas have one log of each request once (%d), and equal stores"
            .formatted(log.size()),
        same && log.size() == sent.size() && new HashSet<>(log).equals(sent));
  }

  /** The digests are chained here again from the final log. */
  private Check doneStays() {
    List<String> digests = new ArrayList<>(List.of(""));
    for (String id : states.get(0).log()) {
      digests.add(SpeculativeLog.chain(digests.get(digests.size() - 1), id));
    }
    List<ClientNote> done = notes.stream().filter(ClientNote::isDone).toList();
    long moved =
        done.stream()
            .filter(
                note ->
                    note.position() >= digests.size()
                        || !digests.get(note.position()).equals(note.digest())
                        || !states.get(0).log().get(note.position() - 1).equals(note.id()))
            .count();
    return new Check(
        "no request that a client took as done was rolled back (%d done, %d moved; %d executions rolled back)"
            .formatted(
                done.size(), moved, states.stream().mapToInt(ReplicaState::rolledBack).sum()),
        moved == 0 && !done.isEmpty());
  }

  /** The clients' n-th request of all is recorded before any log has n entries. */
  private Check requestsBeforeExecutions() {
    List<Long> sent =
        history.assignments("spec", "sent").stream()
            .filter(assignment -> number(assignment) > 0)
            .map(Assignment::hlc)
            .sorted()
            .toList();
    long early =
        history.assignments("spec", "length").stream()
            .filter(assignment -> number(assignment) > 0)
            .filter(
                assignment ->
                    number(assignment) > sent.size()
                        || assignment.hlc() <= sent.get((int) number(assignment) - 1))
            .count();
    return new Check(
        "no replica has executed more requests than were sent at lower stamps (%d sent, %d too early)"
            .formatted(sent.size(), early),
        early == 0);
  }

  private static long number(Assignment assignment) {
    return number(assignment.value());
  }

  private static long number(Value value) {
    return value instanceof LongValue number ? number.value() : 0;
  }

  /** Of neighbours in the first replica's arrivals: how many does another have the other way? */
  private double shareOutOfOrder(Set<String> ids) {
    List<String> first = states.get(0).arrivals().stream().filter(ids::contains).toList();
    long pairs = 0;
    long reversed = 0;
    for (ReplicaState state : states.subList(1, states.size())) {
      Map<String, Integer> places = new HashMap<>();
      state.arrivals().forEach(id -> places.put(id, places.size()));
      for (int i = 1; i < first.size(); i++) {
        pairs++;
        reversed +=
            places.getOrDefault(first.get(i - 1), 0) > places.getOrDefault(first.get(i), 0) ? 1 : 0;
      }
    }
    return pairs == 0 ? 0 : 100.0 * reversed / pairs;
  }

  /** How a fraction that passes compares with all depends on the machine, and is not checked. */
  private Check ordersByActs() {
    String text =
        shares.entrySet().stream()
            .map(
                share ->
                    String.format(
                        Locale.ROOT, "%.1f %% if %d %% pass", share.getValue(), share.getKey()))
            .collect(Collectors.joining(", "));
    return new Check(
        "neighbouring requests out of order, by arrivals: " + text,
        shares.getOrDefault(0, 0.0) == 0 && shares.getOrDefault(100, 1.0) > 0);
  }

  private Check noneWithTheSequencer() {
    long within =
        stretches.stream()
            .map(stretch -> HlcTimestamp.micros(stretch.hlc()))
            .filter(
                micros ->
                    acts.stream()
                        .anyMatch(
                            act ->
                                act.percent() == 0
                                    && act.beganMicros() <= micros
                                    && micros <= act.endedMicros()))
            .count();
    return new Check(
        "%d stretches with different orders, %d of them while all multicasts go through the sequencer"
            .formatted(stretches.size(), within),
        within == 0);
  }

  /** A replica that rolls back had another order, and others executed equally many meanwhile. */
  private Check someWithout() {
    int rolledBack = states.stream().mapToInt(ReplicaState::rolledBack).sum();
    Set<Long> views = new TreeSet<>();
    history.assignments("spec", "view").forEach(view -> views.add(number(view)));
    return new Check(
        "replicas roll back (%d executions, %d reconciliations) if, and only if, orders differ"
            .formatted(rolledBack, views.size() - 1),
        (rolledBack > 0) == !stretches.isEmpty());
  }

  private Check neverTooEarly() throws StageException, IOException {
    int rows = history.intervals(OrderingCase.TOO_EARLY).size();
    return new Check(
        "%d stretches in which fewer than four replicas have what a client took as done"
            .formatted(rows),
        rows == 0);
  }
}
