// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.explain.Finding;
import io.retroscope.rql.explain.Finding.Part;
import io.retroscope.rql.rule.FaultScenarios.Scenario;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Measures explanations where the injected cause of a fault is known: whether it is among the
 * explained events, and how many events a reader is given.
 */
class ExplainedFaultsTest {
  private static final int FEW_SEEDS = 3;
  private static final double LEAST_FOUND = 0.95;
  private static final int MOST_EVENTS = 20;

  /** The events that explain an episode, and whether the injected cause is one of them. */
  private record Score(boolean found, int events) {}

  static List<Scenario> scenarios() {
    return FaultScenarios.all();
  }

  @Test
  void injectedCauses_areExplained_byFewEvents() throws IOException {
    List<Score> all = new ArrayList<>();
    for (Scenario scenario : scenarios()) {
      all.addAll(scores(scenario, FEW_SEEDS));
    }
    assertThat(share(all)).as("share of causes found").isGreaterThanOrEqualTo(LEAST_FOUND);
    assertThat(median(all)).as("median of events").isLessThanOrEqualTo(MOST_EVENTS);
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void withoutFault_theRuleHolds(Scenario scenario) throws IOException {
    for (long seed = 1; seed <= FEW_SEEDS; seed++) {
      try (LocalSession session = session(played(scenario, seed, false))) {
        RuleResult result = new RuleCheck(session, "", () -> 0).check(rule(scenario));
        assertThat(result.outcome())
            .as("seed %d: %s", seed, EpisodeText.lines(result))
            .isEqualTo(Outcome.HOLDS);
      }
    }
  }

  @Tag("slow")
  @Test
  void injectedCauses_ofManyFaults_areExplained_byFewEvents() throws IOException {
    int seeds = Integer.getInteger("explained.seeds", 200);
    System.out.printf(Locale.ROOT, "%-22s %8s %8s %8s%n", "rule", "faults", "found", "median");
    List<String> failed = new ArrayList<>();
    String only = System.getProperty("explained.only", "");
    for (Scenario scenario : scenarios()) {
      if (!scenario.name().contains(only)) {
        continue;
      }
      List<Score> scores = scores(scenario, seeds);
      System.out.printf(
          Locale.ROOT,
          "%-22s %8d %7.1f%% %8d%n",
          scenario.name(),
          scores.size(),
          100 * share(scores),
          median(scores));
      if (share(scores) < LEAST_FOUND || median(scores) > MOST_EVENTS) {
        failed.add(scenario.name());
      }
    }
    assertThat(failed).isEmpty();
  }

  private static double share(List<Score> scores) {
    return (double) scores.stream().filter(Score::found).count() / scores.size();
  }

  private static int median(List<Score> scores) {
    return scores.stream().map(Score::events).sorted().toList().get(scores.size() / 2);
  }

  private static List<Score> scores(Scenario scenario, int seeds) throws IOException {
    List<Score> scores = new ArrayList<>();
    for (long seed = 1; seed <= seeds; seed++) {
      scores.add(score(scenario, seed));
    }
    return scores;
  }

  private static Score score(Scenario scenario, long seed) throws IOException {
    FaultyCluster cluster = cluster(scenario, seed);
    scenario.script().accept(cluster, true);
    List<Event> events = cluster.run();
    String description = scenario + ", seed " + seed;
    Event cause = cluster.cause().orElseThrow(() -> new AssertionError("no fault: " + description));
    try (LocalSession session = session(events)) {
      Rule rule = rule(scenario);
      RuleResult result = new RuleCheck(session, "", () -> 0).check(rule);
      assertThat(result.outcome()).as(description).isEqualTo(Outcome.BROKEN);
      RuleResult explained = new EpisodeExplanations(session, "").explained(rule, result, 1);
      EpisodeExplanation explanation = explained.explanations().get(0);
      Score score = score(explanation, cause, description);
      if (Boolean.getBoolean("explained.print") && !score.found()) {
        System.out.println(description + ": " + cause);
        explanation.lines().forEach(System.out::println);
      }
      return score;
    }
  }

  private static Score score(EpisodeExplanation explanation, Event cause, String description) {
    Set<String> events = new HashSet<>();
    for (Finding finding : explanation.findings()) {
      boolean isEvent =
          finding.part() == Part.WITNESS
              || finding.part() == Part.CAUSE
              || finding.part() == Part.IN_FLIGHT;
      if (isEvent && !finding.node().isEmpty()) {
        events.add(finding.node() + "@" + finding.hlc());
      }
    }
    assertThat(events).as(description).isNotEmpty();
    return new Score(events.contains(cause.node() + "@" + cause.hlc()), events.size());
  }

  private static List<Event> played(Scenario scenario, long seed, boolean faulty) {
    FaultyCluster cluster = cluster(scenario, seed);
    scenario.script().accept(cluster, faulty);
    return cluster.run();
  }

  private static FaultyCluster cluster(Scenario scenario, long seed) {
    return new FaultyCluster(seed, scenario.nodes(), scenario.workMicros());
  }

  private static LocalSession session(List<Event> events) {
    return new LocalSession(
        "events", new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  private static Rule rule(Scenario scenario) {
    RuleSet set = new RuleSet();
    set.add(scenario.name() + ".rql", scenario.rule());
    assertThat(set.faults()).isEmpty();
    return set.rules().get(0);
  }
}
