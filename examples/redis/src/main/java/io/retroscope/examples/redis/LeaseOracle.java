// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.redis;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.History.Assignment;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What must hold, known from Redis and from the workers' notes. */
final class LeaseOracle {
  private static final long CLOCK_READING_MICROS = 1_000;

  private final History history;
  private final List<Turn> turns;
  private final long leaseMillis;
  private final long toleranceMicros;
  private final List<Match> stretches;

  LeaseOracle(History history, List<Turn> turns, long leaseMillis, long skewMicros)
      throws StageException, IOException {
    this.history = history;
    this.turns = turns;
    this.leaseMillis = leaseMillis;
    this.toleranceMicros = CLOCK_READING_MICROS + skewMicros;
    this.stretches = history.intervals(RedisCase.HELD_TWICE);
  }

  List<Check> checks(long turnCount, List<Long> writes) {
    return List.of(
        stampsFollowTurns(turnCount),
        onlyInPauses(),
        eachPause(),
        staleInTheFirstAct(writes),
        noneInTheSecond(writes));
  }

  /** Redis counts the turns, so their order is known without any clock. */
  private Check stampsFollowTurns(long turnCount) {
    List<Assignment> recorded =
        history.assignments("lock", "turn").stream()
            .sorted(Comparator.comparingLong(LeaseOracle::number))
            .toList();
    Set<Long> late =
        turns.stream()
            .filter(turn -> turn.beganLate(leaseMillis))
            .map(Turn::number)
            .collect(Collectors.toSet());
    long early = 0;
    for (int i = 1; i < recorded.size(); i++) {
      Assignment before = recorded.get(i - 1);
      boolean isLate = late.contains(number(before));
      early += !isLate && recorded.get(i).hlc() <= before.hlc() ? 1 : 0;
    }
    return new Check(
        "each turn began at a later stamp than the turn before (%d turns, %d too early, %d left out, which began after their lease)"
            .formatted(turnCount, early, late.size()),
        early == 0 && recorded.size() == turnCount && turns.size() == turnCount);
  }

  private static long number(Assignment assignment) {
    return assignment.value() instanceof LongValue number ? number.value() : -1;
  }

  private Check onlyInPauses() {
    List<Turn> outlived = turns.stream().filter(turn -> turn.outlived(leaseMillis)).toList();
    long outside =
        stretches.stream()
            .filter(stretch -> outlived.stream().noneMatch(turn -> beginsIn(turn, stretch)))
            .count();
    return new Check(
        "%d stretches with two holders, all in turns that outlived their lease (%d, %d of them made to pause)"
            .formatted(
                stretches.size(), outlived.size(), outlived.stream().filter(Turn::paused).count()),
        outside == 0);
  }

  private boolean beginsIn(Turn turn, Match stretch) {
    long start = HlcTimestamp.micros(stretch.hlc());
    return turn.beganMicros() - toleranceMicros <= start
        && start <= turn.endedMicros() + toleranceMicros;
  }

  private Check eachPause() {
    List<Turn> shared = turns.stream().filter(turn -> turn.paused() && isShared(turn)).toList();
    long found =
        shared.stream()
            .filter(turn -> stretches.stream().anyMatch(stretch -> beginsIn(turn, stretch)))
            .count();
    return new Check(
        "%d pauses in which another worker had its whole turn, %d of them among the stretches"
            .formatted(shared.size(), found),
        found == shared.size());
  }

  private boolean isShared(Turn turn) {
    return turns.stream().anyMatch(turn::contains);
  }

  private Check staleInTheFirstAct(List<Long> writes) {
    long stale = staleWrites(writes, 0, RedisLock.FIRST_ACT_TURNS);
    long recorded = count("stale");
    return new Check(
        "without fencing: %d writes replaced that of a later turn in Redis, as recorded (%d)"
            .formatted(stale, recorded),
        stale == recorded);
  }

  private Check noneInTheSecond(List<Long> writes) {
    long stale = staleWrites(writes, RedisLock.FIRST_ACT_TURNS, Long.MAX_VALUE);
    long refused =
        turns.stream()
            .filter(
                turn ->
                    turn.number() > RedisLock.FIRST_ACT_TURNS && !writes.contains(turn.number()))
            .count();
    return new Check(
        "with fencing: %d stale writes in Redis; %d were refused, as recorded (%d)"
            .formatted(stale, refused, count("refused")),
        stale == 0 && refused == count("refused"));
  }

  /** Writes of the turns after the first number, up to the second, after one of a later turn. */
  private static long staleWrites(List<Long> writes, long after, long upTo) {
    long stale = 0;
    long last = 0;
    for (long write : writes) {
      stale += write < last && after < write && write <= upTo ? 1 : 0;
      last = write;
    }
    return stale;
  }

  private long count(String variable) {
    return history.assignments("lock", variable).stream()
        .filter(assignment -> !assignment.value().equals(Value.of(0)))
        .count();
  }
}
