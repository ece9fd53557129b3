// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.examples.simulate.migration.Policy.Kind;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** What must hold, known from the regions' and the users' own counts, which have no stamps. */
final class MigrationOracle {
  private final List<RegionState> states;
  private final List<Note> notes;
  private final List<PlayedAct> acts;
  private final boolean usersMove;
  private final List<Match> twice;
  private final List<Match> none;
  private final List<Match> tooMany;

  MigrationOracle(
      History history,
      List<RegionState> states,
      List<Note> notes,
      List<PlayedAct> acts,
      boolean usersMove)
      throws StageException, IOException {
    this.states = states;
    this.notes = notes;
    this.acts = acts;
    this.usersMove = usersMove;
    this.twice = stretches(history, MigrationCase.TWICE);
    this.none = stretches(history, MigrationCase.NONE);
    this.tooMany = stretches(history, MigrationCase.TOO_MANY);
  }

  /** The stretches of the acts: before, regions begin one after the other. */
  private List<Match> stretches(History history, Question question)
      throws StageException, IOException {
    long begun = acts.stream().mapToLong(PlayedAct::beganMicros).min().orElse(Long.MAX_VALUE);
    return history.intervals(question).stream().filter(match -> micros(match) >= begun).toList();
  }

  private static long micros(Match stretch) {
    return HlcTimestamp.micros(stretch.hlc());
  }

  List<Check> checks() {
    List<Check> checks = new ArrayList<>();
    checks.add(oneOwner());
    checks.add(handedOverOnce());
    checks.add(noAccessLost());
    checks.add(twiceInAHurry());
    checks.add(underWay());
    checks.add(filtered());
    if (usersMove) {
      checks.add(averageMovesMost());
    }
    return checks;
  }

  private Check oneOwner() {
    List<Integer> owned = states.stream().flatMap(state -> state.owned().stream()).toList();
    return new Check(
        "at the end each of %d objects has one owner (%d owned)"
            .formatted(Regions.OBJECTS, owned.size()),
        owned.size() == Regions.OBJECTS && new HashSet<>(owned).size() == Regions.OBJECTS);
  }

  private Check handedOverOnce() {
    int given = states.stream().mapToInt(RegionState::given).sum();
    int taken = states.stream().mapToInt(RegionState::taken).sum();
    return new Check(
        "each hand-over is one (%d given, %d taken)".formatted(given, taken),
        given == taken && (given > 0) == usersMove);
  }

  private boolean isLost(PlayedAct act) {
    return act.counted() != notes.stream().filter(note -> note.act() == act.number()).count();
  }

  /** An owner in a hurry counts accesses that the next one does not know. */
  private Check noAccessLost() {
    List<PlayedAct> careful = acts.stream().filter(act -> !act.script().hurried()).toList();
    long lost =
        acts.stream()
            .filter(act -> act.script().hurried())
            .mapToLong(
                act ->
                    notes.stream().filter(note -> note.act() == act.number()).count()
                        - act.counted())
            .sum();
    return new Check(
        "the objects have counted each of %d accesses that are done, except for %d while owners are in a hurry"
            .formatted(notes.size(), lost),
        careful.stream().noneMatch(this::isLost) && lost >= 0 && !notes.isEmpty());
  }

  private Check twiceInAHurry() {
    return movesAreStretches(twice, true, "owned twice in each hand-over in a hurry");
  }

  private Check underWay() {
    long shortest =
        none.stream().mapToLong(Match::durationMicros).min().orElse(Long.MAX_VALUE) / 1_000;
    Check each = movesAreStretches(none, false, "owned by none in each other hand-over");
    long least =
        IntStream.range(1, Regions.NAMES.size())
            .mapToLong(
                to ->
                    IntStream.range(0, to)
                        .mapToLong(from -> Regions.delayMillis(from, to))
                        .min()
                        .orElse(Long.MAX_VALUE))
            .min()
            .orElse(0);
    return new Check(
        none.isEmpty()
            ? each.statement()
            : each.statement() + ", for %d ms or more".formatted(shortest),
        each.holds() && shortest >= least);
  }

  private Check movesAreStretches(List<Match> stretches, boolean hurried, String title) {
    int moves = 0;
    long within = 0;
    for (PlayedAct act : acts) {
      if (act.script().hurried() == hurried) {
        moves += act.moves();
        within += stretches.stream().filter(stretch -> act.contains(micros(stretch))).count();
      }
    }
    return new Check(
        "%s (%d hand-overs, %d stretches, %d at other times)"
            .formatted(title, moves, within, stretches.size() - within),
        within == moves && stretches.size() == within && (moves > 0) == usersMove);
  }

  /** The first filtered act begins with what the acts before have left. */
  private Check filtered() {
    List<PlayedAct> skewed =
        acts.stream().filter(act -> act.script().filtered() && isSkewed(act)).toList();
    long rises =
        tooMany.stream()
            .filter(stretch -> skewed.stream().anyMatch(act -> act.contains(micros(stretch))))
            .count();
    return new Check(
        "with a filter, no region gets more than a quarter of the objects though half are used in"
            + " VA"
            + " (%d acts, %d stretches; %d in all)".formatted(skewed.size(), rises, tooMany.size()),
        rises == 0 && skewed.isEmpty() != usersMove);
  }

  private static boolean isSkewed(PlayedAct act) {
    return act.script().favouredPercent() > 0;
  }

  /** The average goes by way of regions without users; how policies compare else is not checked. */
  private Check averageMovesMost() {
    double average = moves(Kind.AVERAGE);
    double majority = moves(Kind.MAJORITY);
    return new Check(
        String.format(
            Locale.ROOT,
            "an average of the regions' numbers moves objects more often than a majority (%.0f,"
                + " %.0f)",
            average,
            majority),
        average > majority);
  }

  private double moves(Kind kind) {
    return acts.stream()
        .filter(act -> act.script().policy() == kind && !act.script().hurried())
        .filter(act -> !act.script().filtered())
        .mapToInt(PlayedAct::moves)
        .average()
        .orElse(0);
  }
}
