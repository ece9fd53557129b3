// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.examples.raft.GroupClient.Role;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What must hold, known from the signals, from the servers' answers, and from Raft itself. */
final class LeaderOracle {
  /** From the answer of a server about its new role until its record of that. */
  private static final long RECORD_MICROS = 100_000;

  /** From the continuation of a leader until it has stepped down. */
  private static final long NOTICE_MICROS = 200_000;

  private static final long CLOCK_READING_MICROS = 1_000;

  private final History history;
  private final List<Pause> pauses;
  private final long beganMicros;

  /**
   * An oracle over a run.
   *
   * @param beganMicros when the load began; elections before that are the group's own affair
   */
  LeaderOracle(History history, List<Pause> pauses, long beganMicros) {
    this.history = history;
    this.pauses = pauses;
    this.beganMicros = beganMicros;
  }

  List<Check> checks() throws StageException, IOException {
    List<Match> two =
        history.intervals(RaftCase.TWO_LEADERS).stream()
            .filter(match -> HlcTimestamp.micros(match.hlc()) >= beganMicros)
            .toList();
    return List.of(
        onePerPause(two),
        beginsAtTheElection(two, pauses),
        endsAtTheContinuation(two, pauses),
        oldTerms(two),
        oneLeaderPerTerm(),
        effectsAfterCauses(),
        equalEntries());
  }

  private Check onePerPause(List<Match> two) {
    return new Check(
        "%d pauses, %d stretches with two leaders (%s)"
            .formatted(
                pauses.size(),
                two.size(),
                two.stream()
                    .map(match -> match.durationMicros() / 1_000 + " ms")
                    .collect(Collectors.joining(", "))),
        two.size() == pauses.size());
  }

  /** A stretch begins when another server records that it leads. */
  static Check beginsAtTheElection(List<Match> two, List<Pause> pauses) {
    boolean holds = two.size() == pauses.size();
    List<String> found = new ArrayList<>();
    for (int i = 0; i < Math.min(two.size(), pauses.size()); i++) {
      Pause pause = pauses.get(i);
      long start = HlcTimestamp.micros(two.get(i).hlc());
      holds &= pause.beganMicros() < start && isRecorded(start, pause.elected());
      found.add(times(start, pause.elected()));
    }
    return new Check(
        "each begins after another took the role of leader, at most %d ms after its answer (%s)"
            .formatted(RECORD_MICROS / 1_000, String.join("; ", found)),
        holds);
  }

  /** It ends when the leader that was stopped records that it follows. */
  static Check endsAtTheContinuation(List<Match> two, List<Pause> pauses) {
    boolean holds = two.size() == pauses.size();
    List<String> found = new ArrayList<>();
    for (int i = 0; i < Math.min(two.size(), pauses.size()); i++) {
      Pause pause = pauses.get(i);
      long end = end(two.get(i));
      holds &=
          pause.resumingMicros() <= end
              && end <= pause.resumedMicros() + NOTICE_MICROS
              && isRecorded(end, pause.followed());
      found.add(
          "%d ms after SIGCONT, %s"
              .formatted((end - pause.resumingMicros()) / 1_000, times(end, pause.followed())));
    }
    return new Check(
        "each ends within %d ms of SIGCONT, after the leader gave up its role, at most %d ms after its answer (%s)"
            .formatted(NOTICE_MICROS / 1_000, RECORD_MICROS / 1_000, String.join("; ", found)),
        holds);
  }

  /**
   * Whether a role can have been recorded at this time. A server takes a role before it calls the
   * hook, but may answer in between.
   */
  private static boolean isRecorded(long micros, Role role) {
    return role.sinceMicros() - CLOCK_READING_MICROS <= micros
        && micros <= role.answeredMicros() + RECORD_MICROS;
  }

  private static String times(long micros, Role role) {
    return "%d ms after the role, %d ms %s the answer"
        .formatted(
            (micros - role.sinceMicros()) / 1_000,
            Math.abs(micros - role.answeredMicros()) / 1_000,
            micros < role.answeredMicros() ? "before" : "after");
  }

  private static long end(Match interval) {
    return interval.cells().get("endHlc") instanceof TimestampValue end
        ? HlcTimestamp.micros(end.packed())
        : 0;
  }

  /** A follower may learn the new term before its candidate is elected, but not later. */
  private Check oldTerms(List<Match> two) throws StageException, IOException {
    List<Match> old = history.intervals(RaftCase.OLD_TERM);
    long covered =
        two.stream()
            .filter(
                match -> old.stream().anyMatch(o -> o.hlc() <= match.hlc() && end(o) >= end(match)))
            .count();
    return new Check(
        "one of the two has an older term, all the time (%d of %d)".formatted(covered, two.size()),
        covered == two.size());
  }

  private Check oneLeaderPerTerm() throws StageException, IOException {
    int rows = history.intervals(RaftCase.ONE_TERM).size();
    return new Check("no term has two leaders (%d rows)".formatted(rows), rows == 0);
  }

  /** The client repeats a request whose leader is stopped, so that the first proposal counts. */
  private Check effectsAfterCauses() {
    Map<Value, Long> proposed = new HashMap<>();
    history
        .assignments("raft", "proposed")
        .forEach(proposal -> proposed.putIfAbsent(proposal.value(), proposal.hlc()));
    List<Assignment> applied = history.assignments("raft", "value");
    long early =
        applied.stream()
            .filter(
                apply -> {
                  Long cause = proposed.get(apply.value());
                  return cause == null || cause >= apply.hlc();
                })
            .count();
    return new Check(
        "no server applied a value before a leader proposed it (%d applied, %d too early)"
            .formatted(applied.size(), early),
        early == 0 && !applied.isEmpty());
  }

  /** Servers that applied an entry of equal index and term applied the same value. */
  private Check equalEntries() {
    Map<String, Value> values = new HashMap<>();
    Map<String, Long> last = new TreeMap<>();
    long different = 0;
    long applied = 0;
    for (Event event : history.events("raft")) {
      if (event.body() instanceof StateChange state) {
        Map<String, Value> set =
            state.changes().stream().collect(Collectors.toMap(Change::variable, Change::value));
        Value value = set.get("value");
        if (value != null && set.get("applied") instanceof LongValue index) {
          applied++;
          last.put(event.node(), index.value());
          Value before = values.putIfAbsent(index.value() + " " + set.get("entryTerm"), value);
          different += before != null && !before.equals(value) ? 1 : 0;
        }
      }
    }
    return new Check(
        "equal index and term means equal value (%d applied, %d different), and the last are equal: %s"
            .formatted(applied, different, last),
        different == 0
            && last.keySet().equals(Set.copyOf(Group.MEMBERS))
            && Set.copyOf(last.values()).size() == 1);
  }
}
