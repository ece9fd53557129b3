// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * A trait that distinguishes failing runs from others, with those that say the same.
 *
 * @param trait the plainest of those that come first
 * @param probability that chance alone distinguishes so, corrected for the number of traits
 * @param failing the number of failing runs that have it
 * @param passing the number of other runs that have it
 * @param same others that hold in the same runs or nearly; at most {@link #MAX_SAME}
 */
record Distinction(Trait trait, double probability, int failing, int passing, List<Trait> same) {
  /** The most traits that are listed as the same. */
  static final int MAX_SAME = 6;

  /** Copies the list. */
  Distinction {
    same = List.copyOf(same);
  }

  /** The same distinction with another trait that says the same, if there is room. */
  Distinction with(Trait other) {
    boolean isOfSameMeasure =
        other.key() == trait.key() || same.stream().anyMatch(one -> one.key() == other.key());
    if (same.size() == MAX_SAME || isOfSameMeasure) {
      return this;
    }
    List<Trait> more = new ArrayList<>(same);
    more.add(other);
    return new Distinction(trait, probability, failing, passing, more);
  }

  /** The part of the runs of either that have both. */
  static double overlap(BitSet one, BitSet other) {
    BitSet both = (BitSet) one.clone();
    both.and(other);
    BitSet either = (BitSet) one.clone();
    either.or(other);
    return either.isEmpty() ? 1 : (double) both.cardinality() / either.cardinality();
  }
}
