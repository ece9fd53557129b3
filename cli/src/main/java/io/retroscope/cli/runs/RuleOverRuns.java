// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.rql.rule.Chance;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The verdict on a rule over several runs. Immutable.
 *
 * @param result over all runs; the episode is that of the first run that decided
 * @param counts the number of runs with each verdict
 * @param decisive the names of the runs that decided, at most {@link #MAX_NAMED}
 * @param first the index of the first run that decided; empty if none did alone
 */
public record RuleOverRuns(
    RuleResult result,
    Map<Outcome, Integer> counts,
    List<String> decisive,
    Optional<Integer> first) {
  /** The most runs that are named. */
  public static final int MAX_NAMED = 5;

  /** Copies the collections. */
  public RuleOverRuns {
    counts = Map.copyOf(counts);
    decisive = List.copyOf(decisive);
  }

  /**
   * Combines the verdicts of runs.
   *
   * @param index of the rule
   * @param runs of which at least one could be read
   */
  static RuleOverRuns of(Rule rule, int index, List<RunResults> runs) {
    List<RunResults> read = runs.stream().filter(RunResults::isRead).toList();
    Map<Outcome, Integer> counts = new EnumMap<>(Outcome.class);
    read.forEach(run -> counts.merge(run.results().get(index).outcome(), 1, Integer::sum));
    List<Chance> chances = chances(index, read);
    Outcome outcome = outcome(rule, counts, chances, index, read);
    Outcome decided = outcome == Outcome.BROKEN && rule.isOfSomeRun() ? Outcome.NOT_YET : outcome;
    List<RunResults> deciding =
        read.stream().filter(run -> run.results().get(index).outcome() == decided).toList();
    RuleResult base = (deciding.isEmpty() ? read : deciding).get(0).results().get(index);
    String reason = reason(outcome, base, chances);
    long nanos = read.stream().mapToLong(run -> run.results().get(index).nanos()).sum();
    long episodes = read.stream().mapToLong(run -> run.results().get(index).episodes()).sum();
    return new RuleOverRuns(
        base.over(outcome, reason, episodes, nanos).with(chances),
        counts,
        deciding.stream().limit(MAX_NAMED).map(run -> run.run().name()).toList(),
        deciding.stream().findFirst().map(runs::indexOf));
  }

  /** Whether the verdict is that of some of the runs, which are worth naming. */
  boolean isDecidedBySome() {
    boolean isOfAll = result.outcome() == Outcome.HOLDS && !counts.containsKey(Outcome.NOT_YET);
    return !isOfAll && !decisive.isEmpty();
  }

  /** The same verdict with another result. */
  RuleOverRuns with(RuleResult other) {
    return new RuleOverRuns(other, counts, decisive, first);
  }

  private static Outcome outcome(
      Rule rule,
      Map<Outcome, Integer> counts,
      List<Chance> chances,
      int index,
      List<RunResults> read) {
    if (counts.containsKey(Outcome.WRONG)) {
      return Outcome.WRONG;
    }
    if (rule.isOfSomeRun()) {
      return ofSomeRun(counts, index, read);
    }
    if (counts.containsKey(Outcome.BROKEN)) {
      return Outcome.BROKEN;
    }
    if (counts.containsKey(Outcome.INCONCLUSIVE)) {
      return Outcome.INCONCLUSIVE;
    }
    boolean isUnknown = !counts.containsKey(Outcome.HOLDS) && chances.isEmpty();
    boolean isVacuous = isUnknown || Chance.missing(chances).isPresent();
    return isVacuous ? Outcome.VACUOUS : Outcome.HOLDS;
  }

  /** Several runs without it break SOMETIMES, unless one of them may have had it. */
  private static Outcome ofSomeRun(Map<Outcome, Integer> counts, int index, List<RunResults> read) {
    if (counts.containsKey(Outcome.HOLDS)) {
      return Outcome.HOLDS;
    }
    if (read.size() == 1) {
      return Outcome.NOT_YET;
    }
    boolean isDoubtful =
        read.stream().map(run -> run.results().get(index)).anyMatch(RuleResult::mayHaveMissedIt);
    return isDoubtful ? Outcome.INCONCLUSIVE : Outcome.BROKEN;
  }

  private static String reason(Outcome outcome, RuleResult base, List<Chance> chances) {
    return outcome == Outcome.VACUOUS
        ? Chance.missing(chances).map(Chance::neverSentence).orElse(base.reason())
        : base.reason();
  }

  /** The sums over the runs; a run that does not know a part adds nothing. */
  private static List<Chance> chances(int index, List<RunResults> runs) {
    Map<String, Chance> sums = new LinkedHashMap<>();
    for (RunResults run : runs) {
      run.results().get(index).chances().forEach(one -> sums.merge(one.part(), one, Chance::plus));
    }
    return List.copyOf(sums.values());
  }
}
