// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.trait.SimulatedService.Bug;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A test of the causes that traits name, over runs of a simulated service with known bugs. */
class DistinctionsTest {
  private static final long SEED = Long.getLong("seed", 49);

  /** The runs of a night, and the bugs that made each fail. */
  private record Night(TraitTable table, Map<Bug, BitSet> failures) {
    /** The entries for the runs that failed by a bug, against all others. */
    List<Distinction> rank(Distinctions distinctions, Bug bug) {
      return distinctions.rank(failures.get(bug));
    }

    Distinctions distinctions() {
      return new Distinctions(table);
    }
  }

  private static Night night(int runs, int length, int permille) {
    Map<Bug, BitSet> failures = new EnumMap<>(Bug.class);
    for (Bug bug : Bug.values()) {
      failures.put(bug, new BitSet());
    }
    TraitTable table = new TraitTable(new TraitVocabulary());
    for (int run = 0; run < runs; run++) {
      Random random = new Random(SEED * 1_000_003 + run);
      Set<Bug> bugs = EnumSet.noneOf(Bug.class);
      for (Bug bug : Bug.values()) {
        if (random.nextInt(1_000) < permille) {
          bugs.add(bug);
        }
      }
      TraitCollector collector = new TraitCollector(table.vocabulary(), TraitScope.DISTINCTIONS);
      Set<Bug> failed = new SimulatedService(random, length, bugs, collector::event).run();
      table.add(collector.finish());
      for (Bug bug : failed) {
        failures.get(bug).set(run);
      }
    }
    return new Night(table, failures);
  }

  /** The bugs whose cause is among the first three entries. */
  private static Set<Bug> named(Night night) {
    Distinctions distinctions = night.distinctions();
    Set<Bug> named = EnumSet.noneOf(Bug.class);
    for (Bug bug : Bug.values()) {
      List<Distinction> ranked = night.rank(distinctions, bug);
      if (ranked.stream().limit(3).anyMatch(one -> names(night, one, bug))) {
        named.add(bug);
      }
    }
    return named;
  }

  private static boolean names(Night night, Distinction one, Bug bug) {
    Pattern cause = Pattern.compile(bug.cause());
    List<Trait> all = new ArrayList<>(one.same());
    all.add(one.trait());
    return all.stream()
        .map(trait -> night.table().vocabulary().text(trait.key(), trait.bound()))
        .map(text -> text.replace("`", "").replaceAll("\\b\\w+\\.(?=\\w+@)", ""))
        .anyMatch(text -> cause.matcher(text).find());
  }

  /** Over labels that say nothing, something is named in at most one of twenty cases. */
  private static int namedByChance(Night night, int shuffles) {
    Distinctions distinctions = night.distinctions();
    int named = 0;
    for (int i = 0; i < shuffles; i++) {
      Random random = new Random(SEED + i);
      BitSet failing = new BitSet();
      int count = 8 + random.nextInt(night.table().runs() / 2);
      while (failing.cardinality() < count) {
        failing.set(random.nextInt(night.table().runs()));
      }
      named += distinctions.rank(failing).isEmpty() ? 0 : 1;
    }
    return named;
  }

  @Test
  void rank_ofFewShortRuns_namesMostCauses_andNothingByChance() {
    Night night = night(150, 2_000, 60);
    assertThat(named(night)).as("seed %d", SEED).hasSizeGreaterThanOrEqualTo(14);
    assertThat(namedByChance(night, 40)).as("seed %d", SEED).isLessThanOrEqualTo(2);
  }

  @Test
  @Tag("slow")
  void rank_of400RunsWith20Bugs_namesFourFifthsOfTheCauses_andNothingByChance() {
    Night night = night(400, 20_000, 40);
    Set<Bug> named = named(night);
    assertThat(named).as("seed %d", SEED).hasSizeGreaterThanOrEqualTo(16);
    int byChance = namedByChance(night, 200);
    assertThat(byChance).as("seed %d", SEED).isLessThanOrEqualTo(10);
  }
}
