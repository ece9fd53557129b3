// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.trait.SimulatedService.Bug;
import io.retroscope.event.Event;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import io.retroscope.rql.rule.RuleSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A test of the texts of traits: evaluated as RQL, they hold in the same runs. */
class TraitTextTest {
  private static final long SEED = Long.getLong("seed", 49);
  private static final int RUNS = 24;
  private static final int PER_KIND = 6;

  @Test
  void text_ofTraitsOfEachKind_holdsInTheRunsOfTheTrait() throws IOException {
    TraitTable table = new TraitTable(new TraitVocabulary());
    List<List<Event>> runs = new ArrayList<>();
    for (int run = 0; run < RUNS; run++) {
      List<Event> events = run(run);
      TraitCollector collector = new TraitCollector(table.vocabulary(), TraitScope.DISTINCTIONS);
      events.forEach(collector::event);
      table.add(collector.finish());
      runs.add(events);
    }
    Map<String, Trait> chosen = chosen(table);
    StringBuilder rules = new StringBuilder();
    List<Trait> traits = new ArrayList<>(chosen.values());
    List<String> texts = new ArrayList<>(chosen.keySet());
    // A variable that a run does not have is one without a value.
    chosen.values().stream()
        .flatMap(trait -> table.vocabulary().variables(trait.key()).stream())
        .distinct()
        .forEach(
            variable ->
                rules.append("DECLARE `%s` IN `%s`;%n".formatted(variable.name(), variable.log())));
    for (int i = 0; i < texts.size(); i++) {
      rules.append("CREATE RULE r%d AS (%s);%n".formatted(i, texts.get(i)));
    }
    RuleSet set = new RuleSet();
    set.add("traits.rql", rules.toString());
    assertThat(set.faults()).isEmpty();
    List<String> different = new ArrayList<>();
    for (int run = 0; run < RUNS; run++) {
      List<RuleResult> results = check(set.rules(), runs.get(run));
      for (int i = 0; i < texts.size(); i++) {
        boolean holds = results.get(i).outcome() == Outcome.HOLDS;
        if (holds != traits.get(i).runs().get(run) || results.get(i).outcome() == Outcome.WRONG) {
          different.add(
              "run "
                  + run
                  + ", "
                  + results.get(i).outcome()
                  + ": "
                  + texts.get(i)
                  + results.get(i).reason());
        }
      }
    }
    assertThat(different).as("seed %d", SEED).isEmpty();
  }

  private static List<RuleResult> check(List<Rule> rules, List<Event> events) throws IOException {
    try (LocalSession session =
        new LocalSession(
            "run", new InMemoryEventSource(events, ClockOffsets.UNKNOWN), QueryLimits.DEFAULT)) {
      return new RuleCheck(session, "", () -> 0).check(rules).results();
    }
  }

  private static List<Event> run(int run) {
    Random random = new Random(SEED * 31 + run);
    Set<Bug> bugs = EnumSet.noneOf(Bug.class);
    for (Bug bug : Bug.values()) {
      if (random.nextInt(3) == 0) {
        bugs.add(bug);
      }
    }
    List<Event> events = new ArrayList<>();
    new SimulatedService(random, 1_500, bugs, events::add).run();
    return events;
  }

  /** Some traits of each kind that RQL has, with their texts. */
  private static Map<String, Trait> chosen(TraitTable table) {
    List<Trait> candidates = new ArrayList<>(table.candidates());
    Collections.shuffle(candidates, new Random(SEED));
    Map<String, Trait> chosen = new LinkedHashMap<>();
    for (TraitKind kind : TraitKind.values()) {
      candidates.stream()
          .filter(trait -> trait.kind() == kind)
          .limit(PER_KIND)
          .forEach(trait -> chosen.put(table.vocabulary().text(trait.key(), trait.bound()), trait));
    }
    chosen.keySet().removeIf(text -> text.startsWith("--"));
    assertThat(chosen.values().stream().map(Trait::kind).distinct())
        .containsExactlyInAnyOrderElementsOf(ofRql());
    return chosen;
  }

  /** All kinds but those of messages, which RQL does not name, and the evidence of rules. */
  private static Set<TraitKind> ofRql() {
    Set<TraitKind> kinds = EnumSet.complementOf(EnumSet.of(TraitKind.UNRECEIVED, TraitKind.SLOW));
    kinds.removeIf(TraitKind::isEvidence);
    return kinds;
  }
}
