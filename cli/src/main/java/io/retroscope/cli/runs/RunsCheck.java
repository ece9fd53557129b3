// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.rule.EpisodeExplanations;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The check of rules over many runs, each with a history of its own. Used by one thread. */
public final class RunsCheck {
  private final List<Rule> rules;
  private final RunLabels labels;
  private final Opening opening;
  private final LongSupplier nanoClock;

  /** How the events of a run are opened. Called by several threads. */
  public interface Opening {
    /**
     * Opens a run.
     *
     * @throws IOException if a file does not exist
     */
    Opened open(RecordedRun run) throws IOException;
  }

  /**
   * The open events of a run.
   *
   * @param onTime a clause ON TIME for rules without one; may be empty
   */
  public record Opened(Session session, String onTime) {}

  /**
   * Creates a check, which has read nothing yet.
   *
   * @param nanoClock of the monotonic kind, called by several threads
   */
  public RunsCheck(List<Rule> rules, RunLabels labels, Opening opening, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.rules = List.copyOf(rules);
    this.labels = labels;
    this.opening = opening;
  }

  /**
   * Checks the runs.
   *
   * @param shown receives the results of each run, in their order
   * @return the same results
   * @throws InterruptedException if the thread is interrupted
   */
  public List<RunResults> check(List<RecordedRun> runs, RunPool pool, Consumer<RunResults> shown)
      throws InterruptedException {
    List<RunResults> results = new ArrayList<>();
    pool.forEach(
        runs,
        this::check,
        one -> {
          shown.accept(one);
          results.add(one);
        });
    return results;
  }

  private RunResults check(RecordedRun run) {
    List<String> labelled = labels.of(run);
    try {
      Opened opened = opening.open(run);
      try (Session session = opened.session()) {
        RuleCheck check = new RuleCheck(session, opened.onTime(), nanoClock);
        return new RunResults(run, labelled, check.countingChances().check(rules).results(), "");
      }
    } catch (ProblemException e) {
      return new RunResults(run, labelled, List.of(), e.reason());
    } catch (IOException e) {
      return new RunResults(run, labelled, List.of(), "cannot read it: " + e);
    }
  }

  /**
   * Combines the verdicts, one of each rule in their order. Broken rules are explained by the first
   * run that breaks them.
   *
   * @param results of which at least one could be read
   * @param episodes the most episodes of each rule that are explained
   * @throws IOException if a run cannot be read again
   */
  public List<RuleOverRuns> combine(List<RunResults> results, int episodes) throws IOException {
    List<RuleOverRuns> combined = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      RuleOverRuns over = RuleOverRuns.of(rules.get(i), i, results);
      boolean isExplained = episodes > 0 && over.result().outcome() == Outcome.BROKEN;
      if (isExplained && over.first().isPresent()) {
        RecordedRun run = results.get(over.first().get()).run();
        over = over.with(explained(run, rules.get(i), over.result(), episodes));
      }
      combined.add(over);
    }
    return combined;
  }

  private RuleResult explained(RecordedRun run, Rule rule, RuleResult broken, int episodes)
      throws IOException {
    Opened opened = opening.open(run);
    try (Session session = opened.session()) {
      return new EpisodeExplanations(session, opened.onTime()).explained(rule, broken, episodes);
    }
  }
}
