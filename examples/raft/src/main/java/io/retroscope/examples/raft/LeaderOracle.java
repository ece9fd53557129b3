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
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What must hold, known from the signals, from the servers' answers, and from Raft itself. */
final class LeaderOracle {
  /** From the continuation of a leader until it knows its successor. */
  private static final long NOTICE_MICROS = 200_000;

  /** Between a server's new role, the record of it, and the answer of it on a busy machine. */
  private static final long ANSWER_MICROS = 100_000;

  private final History history;
  private final List<Pause> pauses;

  LeaderOracle(History history, List<Pause> pauses) {
    this.history = history;
    this.pauses = pauses;
  }

  List<Check> checks() throws StageException, IOException {
    List<Match> two = history.intervals(RaftCase.TWO_LEADERS);
    return List.of(
        onePerPause(two),
        beginsAtTheElection(two),
        endsAtTheContinuation(two),
        oldTerms(two),
        oneLeaderPerTerm(),
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

  private Check beginsAtTheElection(List<Match> two) {
    boolean holds = two.size() == pauses.size();
    for (int i = 0; holds && i < two.size(); i++) {
      Pause pause = pauses.get(i);
      long start = HlcTimestamp.micros(two.get(i).hlc());
      holds =
          pause.beganMicros() < start
              && pause.withoutMicros() - ANSWER_MICROS <= start
              && start <= pause.electedMicros() + ANSWER_MICROS;
    }
    return new Check(
        "each begins when another server first says that it leads, within %d ms"
            .formatted(ANSWER_MICROS / 1_000),
        holds);
  }

  private Check endsAtTheContinuation(List<Match> two) {
    boolean holds = two.size() == pauses.size();
    long slowest = 0;
    for (int i = 0; i < Math.min(two.size(), pauses.size()); i++) {
      long end = end(two.get(i));
      holds &= pauses.get(i).resumingMicros() <= end;
      slowest = Math.max(slowest, end - pauses.get(i).resumedMicros());
    }
    return new Check(
        "each ends within %d ms of SIGCONT (%d ms at most)"
            .formatted(NOTICE_MICROS / 1_000, slowest / 1_000),
        holds && slowest <= NOTICE_MICROS);
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
