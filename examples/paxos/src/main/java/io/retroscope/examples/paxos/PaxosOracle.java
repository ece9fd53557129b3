// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What must hold, known from the replicas' and the clients' own notes, which have no stamps. */
final class PaxosOracle {
  private static final String PAXOS = "paxos";

  private final History history;
  private final List<ReplicaState> states;
  private final List<ClientNote> notes;
  private final List<Failure> failures;
  private final List<Delay> delays;
  private final int userChanges;

  /** Whether clients share a key of EPaxos and an object of WPaxos. */
  private final boolean shares;

  PaxosOracle(History history, PaxosScene scene, List<ReplicaState> states, List<ClientNote> notes)
      throws IOException {
    this.history = history;
    this.states = states;
    this.notes = notes;
    this.failures = scene.failures();
    this.delays = scene.delays();
    this.userChanges = scene.userChanges();
    this.shares = scene.variant().faults();
  }

  List<Check> checks() throws StageException, IOException {
    List<Check> checks = new ArrayList<>();
    checks.add(oneLog());
    checks.add(doneStays());
    checks.add(none(PaxosCase.TWO_VALUES, "stretches in which replicas have two values"));
    checks.add(none(PaxosCase.NO_MAJORITY, "stretches in which what is chosen has no majority"));
    checks.add(proposedBeforeAccepted());
    checks.add(messagesPerRound(Fanout.DIRECT, "direct", Protocol.PAXOS));
    checks.add(messagesPerRound(Fanout.RELAYED, "relayed", Protocol.PIG));
    checks.add(eachRelays());
    checks.add(behindInFailures());
    checks.add(sameOrder("EPaxos", "epaxos", EpaxosReplica.MEMBERS, Protocol.EPAXOS));
    checks.add(conflictsAsCounted());
    checks.add(sameOrder("WPaxos", "wpaxos", WpaxosReplica.MEMBERS, Protocol.WPAXOS));
    checks.add(oneOwnerOfABallot());
    checks.add(movesAsTakenOver());
    return checks;
  }

  private Check oneLog() {
    List<String> log = states.get(0).chain(PAXOS);
    long different = states.stream().filter(state -> !state.chain(PAXOS).equals(log)).count();
    return new Check(
        "at the end %d replicas have executed the same %d commands, each once; %d have others"
            .formatted(states.size() - different, log.size(), different),
        different == 0 && new HashSet<>(log).size() == log.size());
  }

  private Check doneStays() {
    List<String> log = states.get(0).chain(PAXOS);
    List<ClientNote> done =
        notes.stream()
            .filter(note -> note.protocol() == Protocol.PAXOS || note.protocol() == Protocol.PIG)
            .toList();
    long moved =
        done.stream()
            .filter(
                note ->
                    note.slot() > log.size() || !log.get(note.slot() - 1).equals(note.command()))
            .count();
    return new Check(
        "each command is in the slot that its client was given (%d done, %d elsewhere)"
            .formatted(done.size(), moved),
        moved == 0 && !done.isEmpty());
  }

  private Check none(Question question, String what) throws StageException, IOException {
    int rows = history.intervals(question).size();
    return new Check("%d %s".formatted(rows, what), rows == 0);
  }

  /** The stamp of a slot's first acceptance is above that of its first proposal. */
  private Check proposedBeforeAccepted() {
    Map<Long, Long> proposed = new HashMap<>();
    for (Assignment assignment : history.assignments("leader", "proposed")) {
      proposed.merge(number(assignment), assignment.hlc(), Math::min);
    }
    List<Assignment> accepted =
        history.assignments("paxos", "accepted").stream().filter(a -> number(a) > 0).toList();
    long early =
        accepted.stream()
            .filter(a -> proposed.getOrDefault(number(a), Long.MAX_VALUE) > a.hlc())
            .count();
    return new Check(
        "no replica accepts a slot before it is proposed (%d records, %d too early)"
            .formatted(accepted.size(), early),
        early == 0 && !accepted.isEmpty());
  }

  private static long number(Assignment assignment) {
    return assignment.value() instanceof LongValue number ? number.value() : 0;
  }

  /** A round's messages by RQL, by the lanes' own counts, and by the formula. */
  private Check messagesPerRound(Fanout fanout, String variable, Protocol protocol)
      throws StageException, IOException {
    List<Match> rows =
        history.rows(
            "SELECT SUM(%s) AS messages, SUM(%sRounds) AS rounds FROM leader WHEN SUM(%s) > 0;"
                .formatted(variable, variable, variable));
    long messages = rows.isEmpty() ? 0 : rows.get(rows.size() - 1).number("messages");
    long rounds = rows.isEmpty() ? 0 : rows.get(rows.size() - 1).number("rounds");
    long requests = notes.stream().filter(note -> note.protocol() == protocol).count();
    long counted =
        states.stream().mapToLong(state -> state.counter(fanout.request() + ".messages")).sum();
    long groups = fanout.groups(Layout.replica(0)).size();
    return new Check(
        String.format(
            Locale.ROOT,
            "%s: the leader has %.1f messages per round, by RQL (%d in %d rounds), as 2 * %d + 2"
                + " is",
            protocol,
            rounds == 0 ? 0 : (double) messages / rounds,
            messages,
            rounds,
            groups),
        rounds > 0
            && messages == 2 * groups * rounds + 2 * requests
            && counted == messages - 2 * requests);
  }

  private Check eachRelays() {
    long relays = states.stream().filter(state -> state.counter("relayed") > 0).count();
    return new Check(
        "relays are random: %d of %d replicas have relayed"
            .formatted(relays, Layout.REPLICAS.size() - 1),
        relays == Layout.REPLICAS.size() - 1);
  }

  private Check behindInFailures() throws StageException, IOException {
    List<Behind> stretches =
        history.intervals(PaxosCase.BEHIND).stream()
            .map(stretch -> Behind.at(HlcTimestamp.micros(stretch.hlc()), stretch.durationMicros()))
            .toList();
    return behind(stretches, failures, delays);
  }

  /** A stretch in which a group is behind, in microseconds since 1970. */
  record Behind(long beganMicros, long endedMicros) {
    static Behind at(long beganMicros, long durationMicros) {
      return new Behind(beganMicros, beganMicros + durationMicros);
    }

    /** Whether it began before the zone was stopped, and lasted until it was continued. */
    boolean covers(Failure failure) {
      return beganMicros < failure.beganMicros() && failure.continuedMicros() <= endedMicros;
    }

    boolean beginsIn(Failure failure) {
      return failure.contains(beganMicros);
    }

    boolean beginsInOneOf(Stream<Delay> delays) {
      return delays.anyMatch(delay -> delay.contains(beganMicros));
    }
  }

  /** A group that gets no processor falls behind as well as one that is stopped. */
  static Check behind(List<Behind> stretches, List<Failure> failures, List<Delay> delays) {
    long found =
        failures.stream().filter(failure -> isBehindOnce(stretches, failure, delays)).count();
    List<Behind> others =
        stretches.stream()
            .filter(stretch -> failures.stream().noneMatch(stretch::beginsIn))
            .toList();
    long excused = others.stream().filter(other -> other.beginsInOneOf(delays.stream())).count();
    return new Check(
        "a group is behind once in %d of %d failures of a zone, and at no other time (%d stretches, %d of them while messages were late by a zone's notes)"
            .formatted(found, failures.size(), stretches.size(), excused),
        found == failures.size() && excused == others.size());
  }

  /** Delays between other zones excuse further stretches; those of the stopped zone do not. */
  private static boolean isBehindOnce(List<Behind> stretches, Failure failure, List<Delay> delays) {
    List<Behind> begun = stretches.stream().filter(stretch -> stretch.beginsIn(failure)).toList();
    boolean isCovered = stretches.stream().anyMatch(stretch -> stretch.covers(failure));
    long ofOthers =
        begun.stream()
            .filter(
                stretch ->
                    stretch.beginsInOneOf(
                        delays.stream().filter(delay -> !delay.concerns(failure.zone()))))
            .count();
    return (isCovered || !begun.isEmpty()) && begun.size() - ofOthers <= 1;
  }

  /** Each chain is one of all commands of its key or object, each once. */
  private Check sameOrder(String title, String name, List<String> members, Protocol protocol) {
    List<String> executed =
        states.stream()
            .filter(state -> state.node().equals(members.get(members.size() - 1)))
            .flatMap(state -> state.chainsOf(name).values().stream())
            .flatMap(List::stream)
            .sorted()
            .toList();
    List<String> done =
        notes.stream()
            .filter(note -> note.protocol() == protocol)
            .map(ClientNote::command)
            .sorted()
            .toList();
    return new Check(
        "%s: %d replicas have executed the %d commands that are done, each once, in one order per object"
            .formatted(title, members.size(), done.size()),
        PaxosScene.agree(states, name, members) && executed.equals(done));
  }

  private Check conflictsAsCounted() throws StageException, IOException {
    int rows = history.rows(PaxosCase.CONFLICTS.rql()).size();
    int slow = states.stream().mapToInt(state -> state.counter(EpaxosReplica.SLOW)).sum();
    int fast = states.stream().mapToInt(state -> state.counter("fast")).sum();
    return conflicts(rows, slow, fast, shares);
  }

  /** Commands conflict if clients share a key, and only then. */
  static Check conflicts(int rows, int slow, int fast, boolean shares) {
    return new Check(
        "EPaxos: %d of %d commands conflicted and took two round trips, as many as rows (%d)"
            .formatted(slow, slow + fast, rows),
        slow == rows && fast > 0 && (slow > 0) == shares);
  }

  private Check oneOwnerOfABallot() {
    List<Long> ballots = new ArrayList<>();
    for (Assignment assignment : history.assignments("wpaxos", "owns")) {
      if (assignment.value() instanceof BooleanValue owns && owns.value()) {
        history.assignments("wpaxos", "ballot").stream()
            .filter(ballot -> ballot.node().equals(assignment.node()))
            .filter(ballot -> ballot.hlc() == assignment.hlc())
            .forEach(ballot -> ballots.add(number(ballot)));
      }
    }
    return owners(ballots, moves(), shares);
  }

  /** The shared object has an owner at first, and another one after each move. */
  static Check owners(List<Long> ballots, long moves, boolean shares) {
    return new Check(
        "WPaxos: no ballot of the shared object has two owners (%d ballots with one, %d moves)"
            .formatted(ballots.size(), moves),
        new HashSet<>(ballots).size() == ballots.size()
            && ballots.size() == (shares ? moves + 1 : 0));
  }

  /** By the replicas' counts: each object is taken over once at first. */
  private long moves() {
    long objects =
        states.stream()
            .flatMap(state -> state.chainsOf("wpaxos").keySet().stream())
            .distinct()
            .count();
    return states.stream().mapToInt(state -> state.counter("takenOver")).sum() - objects;
  }

  private Check movesAsTakenOver() throws StageException, IOException {
    return moved(userChanges, moves(), history.intervals(PaxosCase.MOVES).size(), shares);
  }

  /** It follows each time; between two owners there is no moment with one. */
  static Check moved(int userChanges, long moves, int stretches, boolean shares) {
    return new Check(
        "WPaxos: the users of the shared object moved %d times, and the object %d times; in %d stretches it had no owner, or two"
            .formatted(userChanges, moves, stretches),
        moves == userChanges && stretches == moves && (moves > 0) == shares);
  }
}
