// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/**
 * The result of a search.
 *
 * @param answer empty if it is undecided
 * @param cut the states of a least cut that satisfies the predicate; empty if it is not known
 * @param reason why it is undecided
 */
record SearchResult(Optional<Boolean> answer, Optional<int[]> cut, Optional<String> reason) {
  /** No cut, or not every interleaving. */
  static final SearchResult NONE =
      new SearchResult(Optional.of(false), Optional.empty(), Optional.empty());

  /** Every interleaving, at a cut that is not known. */
  static final SearchResult EVERYWHERE =
      new SearchResult(Optional.of(true), Optional.empty(), Optional.empty());

  /** The order of minimal cuts: fewest states, then the states of the first nodes. */
  static final Comparator<int[]> ORDER =
      Comparator.<int[]>comparingLong(Computation::height).thenComparing(Arrays::compare);

  /** The predicate is TRUE at a cut. */
  static SearchResult at(int[] cut) {
    return new SearchResult(Optional.of(true), Optional.of(cut), Optional.empty());
  }

  /** The budget does not suffice. */
  static SearchResult undecided(String reason) {
    return new SearchResult(Optional.empty(), Optional.empty(), Optional.of(reason));
  }

  /** The same answer with the cut of another search or, if it has none, the reason. */
  SearchResult withCutOf(SearchResult other) {
    return new SearchResult(
        answer, other.cut, other.reason.map(why -> "the least cut is not known, because " + why));
  }
}
