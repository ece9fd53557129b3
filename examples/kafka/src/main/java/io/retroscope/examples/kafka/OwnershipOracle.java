// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.examples.kafka.KafkaCase.Fault;
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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What must hold, known from the pauses, from the coordinator and from the orders. */
final class OwnershipOracle {
  private final History history;
  private final List<Pause> pauses;
  private final List<Loss> losses;

  OwnershipOracle(History history, List<Pause> pauses, List<Loss> losses) {
    this.history = history;
    this.pauses = pauses;
    this.losses = losses;
  }

  List<Check> checks(Map<String, Set<String>> byCoordinator) throws StageException, IOException {
    List<Match> intervals = history.intervals(KafkaCase.OWNED_TWICE);
    List<Check> checks = new ArrayList<>();
    checks.add(onePerPause(intervals));
    checks.add(endsWhenLost(intervals));
    checks.add(refusedInPauses());
    checks.add(effectsAfterCauses());
    checks.add(ownersAreTheCoordinators(byCoordinator));
    return checks;
  }

  /** A consumer that gets no processor polls too late as well, and notes what it loses. */
  private Check onePerPause(List<Match> intervals) {
    String lengths =
        intervals.stream()
            .map(interval -> interval.durationMicros() / 1_000 + " ms")
            .collect(Collectors.joining(", "));
    List<Match> others =
        intervals.stream()
            .filter(interval -> pauses.stream().noneMatch(pause -> isOf(pause, interval)))
            .toList();
    long noted = others.stream().filter(other -> isNoted(HlcTimestamp.micros(end(other)))).count();
    boolean holds =
        pauses.stream()
            .allMatch(
                pause -> intervals.stream().filter(interval -> isOf(pause, interval)).count() == 1);
    return new Check(
        "%d pauses, %d stretches owned twice, one in each pause (%s); %d others, %d of them until a loss that a consumer noted"
            .formatted(pauses.size(), intervals.size(), lengths, others.size(), noted),
        holds && noted == others.size());
  }

  /** Whether it begins while its consumer is paused, and ends when that continues. */
  private static boolean isOf(Pause pause, Match interval) {
    long start = HlcTimestamp.micros(interval.hlc());
    long end = HlcTimestamp.micros(end(interval));
    return pause.beganMicros() < start
        && start < pause.endedMicros()
        && pause.endedMicros() <= end
        && end <= pause.sharedMicros();
  }

  private boolean isNoted(long micros) {
    return losses.stream().anyMatch(loss -> loss.contains(micros));
  }

  private static long end(Match interval) {
    return interval.cells().get("endHlc") instanceof TimestampValue end ? end.packed() : 0;
  }

  /** The paused consumer is an owner until its next poll. */
  private Check endsWhenLost(List<Match> intervals) {
    Set<Long> ends = lost().stream().map(Assignment::hlc).collect(Collectors.toSet());
    return new Check(
        "each of them ends at an onPartitionsLost (%d)".formatted(ends.size()),
        intervals.stream().map(OwnershipOracle::end).allMatch(ends::contains));
  }

  private Check refusedInPauses() {
    List<Assignment> refused =
        history.assignments("group", "refused").stream()
            .filter(commit -> !commit.value().equals(Value.of(0)))
            .toList();
    boolean slowOnesAre =
        pauses.stream()
            .filter(pause -> pause.fault() == Fault.SLOW_BATCH)
            .allMatch(pause -> refused.stream().anyMatch(commit -> isIn(pause, commit)));
    List<Assignment> others =
        refused.stream()
            .filter(commit -> pauses.stream().noneMatch(pause -> isIn(pause, commit)))
            .toList();
    long noted = others.stream().filter(this::isLostNext).count();
    return new Check(
        "the commit of each slow batch was refused (%d in all, %d outside of pauses, %d of them before a loss that a consumer noted)"
            .formatted(refused.size(), others.size(), noted),
        slowOnesAre && noted == others.size());
  }

  /** The next poll after a refused commit calls the hook, before it returns orders. */
  private boolean isLostNext(Assignment commit) {
    Optional<Assignment> loss = firstAfter(commit, lost());
    boolean isNoted = loss.filter(lost -> isNoted(lost.micros())).isPresent();
    return isNoted
        && firstAfter(commit, history.assignments("shop", "handled"))
            .filter(order -> order.hlc() < loss.orElseThrow().hlc())
            .isEmpty();
  }

  private List<Assignment> lost() {
    return history.assignments("group", "rebalance").stream()
        .filter(rebalance -> rebalance.value().equals(Value.of("lost")))
        .toList();
  }

  /** The first one of the same consumer. */
  private static Optional<Assignment> firstAfter(Assignment commit, List<Assignment> all) {
    return all.stream()
        .filter(other -> other.node().equals(commit.node()) && other.hlc() > commit.hlc())
        .findFirst();
  }

  private static boolean isIn(Pause pause, Assignment commit) {
    return commit.node().equals(pause.node())
        && pause.endedMicros() <= commit.micros()
        && commit.micros() <= pause.sharedMicros();
  }

  private Check effectsAfterCauses() {
    Map<Long, Long> placed = new HashMap<>();
    for (Assignment order : history.assignments("shop", "placed")) {
      placed.put(((LongValue) order.value()).value(), order.hlc());
    }
    List<Assignment> handled = history.assignments("shop", "handled");
    long early =
        handled.stream()
            .filter(
                order -> {
                  Long cause = placed.get(((LongValue) order.value()).value());
                  return cause == null || cause >= order.hlc();
                })
            .count();
    long distinct = handled.stream().map(Assignment::value).distinct().count();
    return new Check(
        "no order was handled before it was placed (%d orders, %d handled, %d of them twice)"
            .formatted(placed.size(), distinct, handled.size() - distinct),
        early == 0 && distinct == placed.size());
  }

  /** At the end, after the last rebalance. */
  private Check ownersAreTheCoordinators(Map<String, Set<String>> byCoordinator) {
    Map<String, Set<String>> recorded = new TreeMap<>();
    for (Assignment owns : history.assignments("group", "owns")) {
      recorded.put(
          owns.node(),
          ((SetValue) owns.value())
              .elements().stream()
                  .map(element -> ((StringValue) element).value())
                  .collect(Collectors.toCollection(TreeSet::new)));
    }
    return new Check(
        "at the end the recorded owners are those that the coordinator knows: " + recorded,
        recorded.equals(byCoordinator));
  }
}
