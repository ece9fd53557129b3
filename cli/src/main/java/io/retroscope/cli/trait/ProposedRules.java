// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RuleOverRuns;
import io.retroscope.cli.runs.RunLabels;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.cli.runs.RunResults;
import io.retroscope.cli.runs.RunsCheck;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.Chance;
import io.retroscope.rql.rule.RuleResult.Outcome;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rules that some runs keep, each with its support, as a file of rules. Immutable. */
public final class ProposedRules {
  /** The most rules that are proposed. */
  public static final int MAX_RULES = 20;

  /** The least number of runs: a third is held out. */
  private static final int MIN_RUNS = 3;

  private final int runs;
  private final List<Rule> rules;

  /** A proposal and how often it could have been broken. */
  private record Rule(Proposal proposal, RuleOverRuns verdict) {}

  private ProposedRules(int runs, List<Rule> rules) {
    this.runs = runs;
    this.rules = List.copyOf(rules);
  }

  /**
   * Proposes rules. Each is checked over all runs: it holds, and is not vacuous.
   *
   * @throws CommandException if a run cannot be read, or there are too few
   * @throws InterruptedException if the thread is interrupted
   */
  public static ProposedRules of(
      List<RecordedRun> runs, TraitReader reader, RunsCheck.Opening opening, RunPool pool)
      throws IOException, InterruptedException {
    if (runs.size() < MIN_RUNS) {
      throw new CommandException(
          ExitCode.USAGE,
          "%d runs are too few: name at least %d, of which a third is held out"
              .formatted(runs.size(), MIN_RUNS));
    }
    List<Proposal> proposals =
        Proposals.of(reader.read(runs, TraitScope.PROPOSALS, pool)).stream()
            .filter(ProposedRules::isRule)
            .toList();
    RuleSet set = new RuleSet();
    for (Proposal proposal : proposals) {
      set.add(proposal.name(), statement(proposal));
    }
    RunsCheck check = new RunsCheck(set.rules(), RunLabels.read(List.of()), opening, () -> 0);
    List<RunResults> results = check.check(runs, pool, run -> {});
    for (RunResults run : results) {
      if (!run.isRead()) {
        throw new CommandException(
            ExitCode.USAGE, "run %s is not checked: %s".formatted(run.run().name(), run.problem()));
      }
    }
    List<RuleOverRuns> verdicts = check.combine(results, 0);
    List<Rule> kept = new ArrayList<>();
    for (int i = 0; i < proposals.size() && kept.size() < MAX_RULES; i++) {
      if (isKept(verdicts.get(i))) {
        kept.add(new Rule(proposals.get(i), verdicts.get(i)));
      }
    }
    return new ProposedRules(runs.size(), kept);
  }

  /** A name in the events may be one that RQL does not take. */
  private static boolean isRule(Proposal proposal) {
    RuleSet alone = new RuleSet();
    alone.add(proposal.name(), statement(proposal));
    return alone.faults().isEmpty();
  }

  /** Whether it holds; at the end of a run a deadline may be open. */
  private static boolean isKept(RuleOverRuns verdict) {
    Outcome outcome = verdict.result().outcome();
    return outcome == Outcome.HOLDS
        || (outcome == Outcome.INCONCLUSIVE && verdict.counts().containsKey(Outcome.HOLDS));
  }

  private static String statement(Proposal proposal) {
    return "CREATE RULE %s AS (%n  %s%n);%n".formatted(proposal.name(), proposal.rule());
  }

  /** The number of rules. */
  public int size() {
    return rules.size();
  }

  /** The file of rules, with a comment before each. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "-- Proposed from %,d runs, of which a third was held out: candidates, not facts.%n",
            runs));
    text.append(String.format("-- Keep what your system promises, and change the bounds.%n"));
    for (Rule rule : rules) {
      text.append(String.format("%n-- %s%n", ValueText.printable(rule.proposal().sentence())));
      text.append(String.format("-- %s%n", ValueText.printable(support(rule.verdict()))));
      text.append(statement(rule.proposal()));
    }
    return text.toString();
  }

  private static String support(RuleOverRuns verdict) {
    int holds = verdict.counts().getOrDefault(Outcome.HOLDS, 0);
    String chances =
        verdict.result().chances().stream()
            .map(Chance::text)
            .reduce((first, second) -> second)
            .map(last -> "; " + last)
            .orElse("");
    return String.format(
        Locale.ROOT, "Held in %,d runs that have its situation%s.", holds, chances);
  }
}
