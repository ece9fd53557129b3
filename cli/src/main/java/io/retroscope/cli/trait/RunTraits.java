// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.clock.HlcTimestamp;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The traits of one run, by their keys in a {@link TraitVocabulary}. Used by one thread. */
final class RunTraits {
  private final Map<Long, Long> held = new HashMap<>();
  private final Map<Long, Measure> measures = new HashMap<>();
  private final Set<Integer> manyValued = new HashSet<>();
  private final Set<Integer> unfollowed = new HashSet<>();
  private Optional<Set<Integer>> only = Optional.empty();
  private boolean isLossy;
  private long start;
  private long end;

  /**
   * The greatest value of a measure.
   *
   * @param hlc packed stamp at which it was reached
   */
  record Measure(double value, long hlc) {}

  /** Adds a trait, unless it held earlier. */
  void hold(TraitKind kind, int first, int second, long hlc) {
    held.merge(TraitVocabulary.key(kind, first, second), hlc, Math::min);
  }

  /** Adds a value of a measure, of which the greatest one counts. */
  void measure(TraitKind kind, int first, int second, double value, long hlc) {
    measures.merge(
        TraitVocabulary.key(kind, first, second),
        new Measure(value, hlc),
        (one, other) -> other.value() > one.value() ? other : one);
  }

  /** Notes a variable with too many values for traits of single ones. */
  void addManyValued(int variable) {
    manyValued.add(variable);
  }

  /** Notes a value whose order and coincidence with others are not known. */
  void addUnfollowed(int atom) {
    unfollowed.add(atom);
  }

  /** Notes that nothing is known of variables but these. */
  void followOnly(Set<Integer> variables) {
    only = Optional.of(Set.copyOf(variables));
  }

  /** Notes that events are missing. */
  void addLoss() {
    isLossy = true;
  }

  void range(long from, long to) {
    start = from;
    end = to;
  }

  /** The stamps at which traits first held, by their keys. */
  Map<Long, Long> held() {
    return held;
  }

  Map<Long, Measure> measures() {
    return measures;
  }

  Set<Integer> manyValued() {
    return manyValued;
  }

  /** The values whose order and coincidence with others are not known. */
  Set<Integer> unfollowed() {
    return unfollowed;
  }

  /** The variables that were followed; empty for all. */
  Optional<Set<Integer>> only() {
    return only;
  }

  /** Whether events are missing. */
  boolean isLossy() {
    return isLossy;
  }

  /** The length of the run. */
  long micros() {
    return HlcTimestamp.micros(end) - HlcTimestamp.micros(start);
  }

  /** The place of a stamp in the run, from 0 to 1. */
  double position(long hlc) {
    return end > start ? (double) (hlc - start) / (end - start) : 0;
  }
}
