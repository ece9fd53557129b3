// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.TimestampValue;
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
  private final History history;
  private final List<Pause> pauses;
  private final List<RoleNote> notes;
  private final long beganMicros;

  /**
   * An oracle over a run.
   *
   * @param notes of all servers
   * @param beganMicros when the load began; elections before that are the group's own affair
   */
  LeaderOracle(History history, List<Pause> pauses, List<RoleNote> notes, long beganMicros) {
    this.history = history;
    this.pauses = pauses;
    this.notes = notes;
    this.beganMicros = beganMicros;
  }

  List<Check> checks() throws StageException, IOException {
    List<Match> two =
        history.intervals(RaftCase.TWO_LEADERS).stream()
            .filter(match -> start(match) >= beganMicros)
            .toList();
    List<Match> inPauses = inPauses(two, pauses);
    return List.of(
        onePerPause(two, inPauses, pauses, notes),
        beginsAtTheElection(inPauses, pauses),
        endsAtTheContinuation(inPauses, pauses),
        oldTerms(two),
        oneLeaderPerTerm(),
        effectsAfterCauses(),
        equalEntries());
  }

  /** The first stretch that begins in each pause, if there is one. */
  static List<Match> inPauses(List<Match> two, List<Pause> pauses) {
    return pauses.stream()
        .flatMap(
            pause ->
                two.stream()
                    .filter(match -> pause.beganMicros() < start(match))
                    .filter(match -> start(match) < pause.resumingMicros())
                    .limit(1))
        .toList();
  }

  /**
   * A leader that gets no processor for long has a successor as well: other stretches begin when a
   * server has noted that it leads, and end when one has noted that it follows.
   */
  static Check onePerPause(
      List<Match> two, List<Match> inPauses, List<Pause> pauses, List<RoleNote> notes) {
    List<Match> others = two.stream().filter(match -> !inPauses.contains(match)).toList();
    long noted =
        others.stream()
            .filter(
                match ->
                    isNoted(start(match), RoleNote.LEADER, notes)
                        && isNoted(end(match), RoleNote.FOLLOWER, notes))
            .count();
    return new Check(
        "%d pauses, one stretch with two leaders in each of %d (%s); %d others, %d of them between roles that servers noted"
            .formatted(
                pauses.size(),
                inPauses.size(),
                inPauses.stream()
                    .map(match -> match.durationMicros() / 1_000 + " ms")
                    .collect(Collectors.joining(", ")),
                others.size(),
                noted),
        inPauses.size() == pauses.size() && noted == others.size());
  }

  private static boolean isNoted(long micros, String role, List<RoleNote> notes) {
    return notes.stream().anyMatch(note -> note.role().equals(role) && note.contains(micros));
  }

  private static long start(Match stretch) {
    return HlcTimestamp.micros(stretch.hlc());
  }

  /** A stretch begins when another server records that it leads. */
  static Check beginsAtTheElection(List<Match> two, List<Pause> pauses) {
    boolean holds = two.size() == pauses.size();
    List<String> found = new ArrayList<>();
    for (int i = 0; i < Math.min(two.size(), pauses.size()); i++) {
      Pause pause = pauses.get(i);
      long start = start(two.get(i));
      holds &= pause.beganMicros() < start && pause.elected().isRecordedAt(start);
      found.add(after(start, pause.elected().sinceMicros(), "the role"));
    }
    return new Check(
        "each begins when another, which had the role of leader by its answer, notes that it records it (%s)"
            .formatted(String.join("; ", found)),
        holds);
  }

  /** It ends when the leader that was stopped records that it follows. */
  static Check endsAtTheContinuation(List<Match> two, List<Pause> pauses) {
    boolean holds = two.size() == pauses.size();
    List<String> found = new ArrayList<>();
    for (int i = 0; i < Math.min(two.size(), pauses.size()); i++) {
      Pause pause = pauses.get(i);
      long end = end(two.get(i));
      holds &= pause.resumingMicros() <= end && pause.followed().isRecordedAt(end);
      found.add(after(end, pause.resumingMicros(), "SIGCONT"));
    }
    return new Check(
        "each ends after SIGCONT, when the leader, which had given up its role by its answer, notes that it records it (%s)"
            .formatted(String.join("; ", found)),
        holds);
  }

  private static String after(long micros, long sinceMicros, String what) {
    return "%d ms after %s".formatted((micros - sinceMicros) / 1_000, what);
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
