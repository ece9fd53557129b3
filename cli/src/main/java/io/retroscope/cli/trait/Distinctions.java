// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The traits that distinguish failing runs from passing ones beyond chance.
 *
 * <p>Of the traits that hold in exactly the same runs one is tested. The correction for their
 * number is that of Tarone (A Modified Bonferroni Method for Discrete Data, Biometrics 46, 1990):
 * traits that hold in so few runs, or in so many, that they could not distinguish are not counted.
 * The chance that anything is named although nothing distinguishes is then at most {@link #LEVEL}.
 */
final class Distinctions {
  /** The greatest probability at which chance is ruled out. */
  static final double LEVEL = 0.05;

  /** The most distinctions that are named. */
  static final int MAX_NAMED = 20;

  /** The overlap from which on traits say the same. */
  private static final double SAME = 0.9;

  /** Places in a run that count as one. */
  private static final double NEAR = 0.002;

  private final List<List<Trait>> groups;
  private final int runs;
  private final Comparator<Trait> plainest;

  /** Groups the candidates of a table by the runs in which they hold. */
  Distinctions(TraitTable table) {
    TraitVocabulary vocabulary = table.vocabulary();
    plainest =
        Comparator.comparingInt((Trait trait) -> trait.kind().complexity())
            .thenComparing(Trait::kind)
            .thenComparingDouble(Trait::position)
            .thenComparing(trait -> vocabulary.text(trait.key(), trait.bound()));
    Map<BitSet, List<Trait>> byRuns = new LinkedHashMap<>();
    table
        .candidates()
        .forEach(
            trait -> byRuns.computeIfAbsent(trait.runs(), first -> new ArrayList<>()).add(trait));
    byRuns.values().forEach(group -> group.sort(plainest));
    this.groups = List.copyOf(byRuns.values());
    this.runs = table.runs();
  }

  /** The number of traits that differ in their runs. */
  int tried() {
    return groups.size();
  }

  /** A group that distinguishes, with its probability. */
  private record Found(List<Trait> group, double probability, int failing) {
    double position() {
      return group.stream().mapToDouble(Trait::position).min().orElse(1);
    }
  }

  /**
   * Ranks the traits, the least probable by chance first.
   *
   * @param failing the failing runs, at least one and not all
   */
  List<Distinction> rank(BitSet failing) {
    FisherTest test = new FisherTest(failing.cardinality(), runs);
    double correction = correction(test);
    List<Found> found = new ArrayList<>();
    for (List<Trait> group : groups) {
      BitSet both = (BitSet) group.get(0).runs().clone();
      both.and(failing);
      double probability =
          correction * test.probability(group.get(0).runs().cardinality(), both.cardinality());
      if (probability <= LEVEL) {
        found.add(new Found(group, probability, both.cardinality()));
      }
    }
    found.sort(
        Comparator.comparingDouble(Found::probability)
            .thenComparingDouble(Found::position)
            .thenComparing(one -> one.group().get(0), plainest));
    return named(found);
  }

  /**
   * Whether a trait of all failing runs and no other one would be beyond chance.
   *
   * @param failing the failing runs, at least one and not all
   */
  boolean couldDistinguish(BitSet failing) {
    FisherTest test = new FisherTest(failing.cardinality(), runs);
    return correction(test) * test.leastProbability(failing.cardinality()) <= LEVEL;
  }

  private List<Distinction> named(List<Found> found) {
    List<Distinction> named = new ArrayList<>();
    for (Found one : found) {
      int same = indexOfSame(named, one.group().get(0));
      if (same >= 0) {
        for (Trait trait : one.group()) {
          named.set(same, named.get(same).with(trait));
        }
      } else if (named.size() < MAX_NAMED) {
        named.add(distinction(one));
      }
    }
    return named;
  }

  private static int indexOfSame(List<Distinction> named, Trait trait) {
    for (int i = 0; i < named.size(); i++) {
      if (named.get(i).trait().key() == trait.key()
          || Distinction.overlap(named.get(i).trait().runs(), trait.runs()) >= SAME) {
        return i;
      }
    }
    return -1;
  }

  /** What comes first may be the cause of what comes later. */
  private Distinction distinction(Found found) {
    double first = found.position();
    Trait lead =
        found.group().stream()
            .filter(trait -> trait.position() <= first + NEAR)
            .min(plainest)
            .orElseThrow();
    int passing = lead.runs().cardinality() - found.failing();
    Distinction named =
        new Distinction(lead, found.probability(), found.failing(), passing, List.of());
    for (Trait trait : found.group()) {
      named = trait.equals(lead) ? named : named.with(trait);
    }
    return named;
  }

  /** The least number of tests for which at most so many traits could distinguish. */
  private double correction(FisherTest test) {
    Map<Integer, Double> least = new HashMap<>();
    double[] probabilities =
        groups.stream()
            .mapToDouble(
                group ->
                    least.computeIfAbsent(
                        group.get(0).runs().cardinality(), test::leastProbability))
            .sorted()
            .toArray();
    int tests = 1;
    while (countAtMost(probabilities, LEVEL / tests) > tests) {
      tests++;
    }
    return tests;
  }

  private static int countAtMost(double[] ascending, double limit) {
    int count = 0;
    int end = ascending.length;
    while (count < end) {
      int middle = (count + end) >>> 1;
      if (ascending[middle] <= limit) {
        count = middle + 1;
      } else {
        end = middle;
      }
    }
    return count;
  }
}
