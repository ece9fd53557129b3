// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The verdicts of a check over many runs.
 *
 * @param faults the statements of the files of rules that are no rules
 * @param labels the names of the labels of runs
 * @param runs in their order
 * @param rules the verdicts over all runs, in the order of the rules
 * @param coverage the values that variables had, a line for each variable
 */
public record RunsSummary(
    List<RuleResult> faults,
    List<String> labels,
    List<RunResults> runs,
    List<RuleOverRuns> rules,
    List<String> coverage) {
  /** The runs that are listed as slowest, and the verdicts as most uncertain. */
  private static final int LISTED = 3;

  /** Copies the lists. */
  public RunsSummary {
    faults = List.copyOf(faults);
    labels = List.copyOf(labels);
    runs = List.copyOf(runs);
    rules = List.copyOf(rules);
    coverage = List.copyOf(coverage);
  }

  /** The verdicts over all runs, after the faults. */
  public List<RuleResult> results() {
    List<RuleResult> all = new ArrayList<>(faults);
    rules.forEach(rule -> all.add(rule.result()));
    return all;
  }

  /** A verdict on a rule in one run. */
  private record Cell(RunResults run, RuleResult result) {
    String name() {
      return result.rule() + " in " + run.run().name();
    }
  }

  private List<Cell> cells() {
    return runs.stream()
        .flatMap(run -> run.results().stream().map(result -> new Cell(run, result)))
        .toList();
  }

  /** The runs that took longest: the rules of a run share one walk. */
  public List<String> slowest() {
    return runs.stream()
        .sorted(Comparator.comparingLong(RunsSummary::nanos).reversed())
        .limit(LISTED)
        .map(run -> String.format(Locale.ROOT, "%s, %.1f ms", run.run().name(), nanos(run) / 1e6))
        .toList();
  }

  private static long nanos(RunResults run) {
    return run.results().stream().mapToLong(RuleResult::nanos).sum();
  }

  /** The verdicts that clocks or missing events could reverse, the least certain first. */
  public List<String> mostUncertain() {
    return cells().stream()
        .filter(cell -> isBorderline(cell) || cell.result().provisional().isPresent())
        .sorted(
            Comparator.comparing(RunsSummary::isBorderline)
                .thenComparing(RunsSummary::uncertainty)
                .reversed())
        .limit(LISTED)
        .map(
            cell ->
                cell.name()
                    + ", "
                    + cell.result().outcome().word()
                    + (isBorderline(cell)
                        ? ": the clocks' uncertainty could reverse it"
                        : ": " + cell.result().reason()))
        .toList();
  }

  private static boolean isBorderline(Cell cell) {
    return cell.result().borderline().orElse(false);
  }

  private static long uncertainty(Cell cell) {
    return cell.result()
        .first()
        .map(Episode::uncertaintyMicros)
        .orElseGet(OptionalLong::empty)
        .orElse(0);
  }

  /** The runs of a rule with a verdict, in words. */
  static String counts(RuleOverRuns rule) {
    List<String> parts = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      int count = rule.counts().getOrDefault(outcome, 0);
      if (count > 0) {
        parts.add(String.format(Locale.ROOT, "%s in %,d", outcome.word(), count));
      }
    }
    return String.join(", ", parts);
  }
}
