// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The traits of many runs: in which runs each holds. Used by one thread. */
final class TraitTable {
  /** The most predicates that are tried. */
  static final int MAX_CANDIDATES = 100_000;

  /** The most keys that are kept, of which some are left out in the end. */
  private static final int MAX_KEYS = 400_000;

  /** The parts of runs at whose values bounds of measures are, the least and the greatest part. */
  private static final double[] PARTS = {
    .005, .01, .02, .03, .05, .08, .12, .2, .3, .5, .7, .85, .95, .99
  };

  private final TraitVocabulary vocabulary;
  private final Map<Long, Seen> held = new HashMap<>();
  private final Map<Long, double[]> measures = new TreeMap<>();
  private final Map<Long, double[]> positions = new HashMap<>();
  private final Set<Integer> manyValued = new HashSet<>();
  private final Set<Integer> unfollowed = new HashSet<>();
  private Optional<Set<Integer>> only = Optional.empty();
  private int lossy;
  private int runs;
  private long leftOut;
  private long shortestMicros = Long.MAX_VALUE;

  /** The runs that have a trait. */
  private static final class Seen {
    private final BitSet runs = new BitSet();
    private double position;
  }

  TraitTable(TraitVocabulary vocabulary) {
    this.vocabulary = vocabulary;
  }

  /** Adds the next run, whose number is {@link #runs} before. */
  void add(RunTraits traits) {
    traits
        .held()
        .forEach(
            (key, hlc) -> {
              Seen seen = held.get(key);
              if (seen == null) {
                if (held.size() == MAX_KEYS) {
                  leftOut++;
                  return;
                }
                seen = new Seen();
                held.put(key, seen);
              }
              seen.runs.set(runs);
              seen.position += traits.position(hlc);
            });
    traits
        .measures()
        .forEach(
            (key, measure) -> {
              put(measures, key, measure.value());
              put(positions, key, traits.position(measure.hlc()));
            });
    manyValued.addAll(traits.manyValued());
    unfollowed.addAll(traits.unfollowed());
    traits.only().ifPresent(this::followOnly);
    lossy += traits.isLossy() ? 1 : 0;
    shortestMicros = Math.min(shortestMicros, traits.micros());
    runs++;
  }

  private void followOnly(Set<Integer> variables) {
    Set<Integer> both = new HashSet<>(variables);
    only.ifPresent(both::retainAll);
    only = Optional.of(both);
  }

  private void put(Map<Long, double[]> table, Long key, double value) {
    double[] values = table.get(key);
    if (values == null || values.length <= runs) {
      int length = values == null ? 0 : values.length;
      double[] longer = values == null ? new double[64] : Arrays.copyOf(values, 2 * runs);
      Arrays.fill(longer, length, longer.length, Double.NaN);
      values = longer.length > runs ? longer : padded(longer);
      table.put(key, values);
    }
    values[runs] = value;
  }

  private double[] padded(double[] values) {
    double[] longer = Arrays.copyOf(values, 2 * runs + 1);
    Arrays.fill(longer, values.length, longer.length, Double.NaN);
    return longer;
  }

  /** The number of runs. */
  int runs() {
    return runs;
  }

  /** The number of runs of which events are missing. */
  int lossy() {
    return lossy;
  }

  /** The length of the shortest run. */
  long shortestMicros() {
    return shortestMicros;
  }

  TraitVocabulary vocabulary() {
    return vocabulary;
  }

  /** The greatest value of a measure in a run; NaN if the run does not have it. */
  double measure(long key, int run) {
    double[] values = measures.get(key);
    return values == null || values.length <= run ? Double.NaN : values[run];
  }

  /** The traits that hold in some run and not in all, at most {@link #MAX_CANDIDATES}. */
  List<Trait> candidates() {
    List<Trait> candidates = new ArrayList<>();
    measures.forEach((key, values) -> addBounds(key, values, candidates));
    held.entrySet().stream()
        .filter(seen -> isCandidate(seen.getKey(), seen.getValue().runs))
        .sorted(
            Map.Entry.<Long, Seen>comparingByValue(
                    (one, other) ->
                        Integer.compare(other.runs.cardinality(), one.runs.cardinality()))
                .thenComparing(Map.Entry.comparingByKey()))
        .forEach(seen -> candidates.add(trait(seen.getKey(), seen.getValue())));
    leftOut += Math.max(0, candidates.size() - MAX_CANDIDATES);
    return candidates.size() <= MAX_CANDIDATES
        ? candidates
        : new ArrayList<>(candidates.subList(0, MAX_CANDIDATES));
  }

  private Trait trait(long key, Seen seen) {
    long placed = placed(key);
    Seen at = held.getOrDefault(placed, seen);
    double position = at.position / at.runs.cardinality();
    return new Trait(key, 0, runsOf(key, seen.runs), position);
  }

  /** The trait at whose place in a run another one is: of an order that of the value itself. */
  static long placed(long key) {
    TraitKind kind = TraitVocabulary.kind(key);
    return kind == TraitKind.NOT_AFTER || kind == TraitKind.NODE_NOT_AFTER
        ? TraitVocabulary.key(TraitKind.HELD, TraitVocabulary.firstNumber(key), 0)
        : key;
  }

  /** The runs that have a trait: what never occurs in a run does not precede anything. */
  private BitSet runsOf(long key, BitSet seen) {
    TraitKind kind = TraitVocabulary.kind(key);
    if (kind != TraitKind.NOT_AFTER && kind != TraitKind.NODE_NOT_AFTER) {
      return seen;
    }
    int first = TraitVocabulary.firstNumber(key);
    int second = TraitVocabulary.secondNumber(key);
    BitSet without = (BitSet) having(TraitVocabulary.key(TraitKind.HELD, first, 0)).clone();
    without.andNot(having(TraitVocabulary.key(TraitKind.HELD, second, 0)));
    without.or(seen);
    return without;
  }

  /** The number of predicates that were not tried, because there were too many. */
  long leftOut() {
    return leftOut;
  }

  private boolean isCandidate(long key, BitSet having) {
    return !TraitVocabulary.kind(key).isEvidence()
        && isKnown(key)
        && runsOf(key, having).cardinality() < runs;
  }

  /** Whether the values of a trait were followed in all runs. */
  private boolean isKnown(long key) {
    if (TraitVocabulary.kind(key).isOfTwoValues()
        && (isUnfollowed(TraitVocabulary.firstNumber(key))
            || isUnfollowed(TraitVocabulary.secondNumber(key)))) {
      return false;
    }
    return vocabulary.variables(key).stream()
        .map(vocabulary::number)
        .allMatch(
            variable ->
                only.map(known -> known.contains(variable)).orElse(true)
                    && !(isOfValue(key) && manyValued.contains(variable)));
  }

  /** Whether the order and coincidence of a value with others were not followed in some run. */
  boolean isUnfollowed(int atom) {
    return unfollowed.contains(atom);
  }

  /** Whether some run has more variables than were followed. */
  boolean isCut() {
    return only.isPresent();
  }

  private boolean isOfValue(long key) {
    return vocabulary.first(key) instanceof TraitVocabulary.Atom
        || vocabulary.second(key) instanceof TraitVocabulary.Atom;
  }

  private void addBounds(long key, double[] values, List<Trait> candidates) {
    if (!isKnown(key) || TraitVocabulary.kind(key).isEvidence()) {
      return;
    }
    double[] sorted = Arrays.stream(values).limit(runs).filter(v -> !Double.isNaN(v)).toArray();
    Arrays.sort(sorted);
    Set<Double> bounds = new HashSet<>();
    for (double part : PARTS) {
      int place = sorted.length - Math.max(1, (int) Math.round(part * runs));
      if (place >= 0 && bounds.add(sorted[place])) {
        BitSet having = new BitSet();
        for (int run = 0; run < Math.min(runs, values.length); run++) {
          having.set(run, values[run] >= sorted[place]);
        }
        if (having.cardinality() < runs) {
          candidates.add(new Trait(key, sorted[place], having, position(key, having)));
        }
      }
    }
  }

  private double position(long key, BitSet having) {
    double[] places = positions.getOrDefault(key, new double[0]);
    return having.stream().mapToDouble(run -> places[run]).average().orElse(1);
  }

  /** The traits that held in no run of some, or in all: see {@link Proposals}. */
  BitSet having(long key) {
    Seen seen = held.get(key);
    return seen == null ? new BitSet() : seen.runs;
  }

  /** The keys of all traits and measures. */
  Set<Long> keys() {
    Set<Long> keys = new HashSet<>(held.keySet());
    keys.addAll(measures.keySet());
    return keys;
  }

  boolean isManyValued(int variable) {
    return manyValued.contains(variable);
  }
}
