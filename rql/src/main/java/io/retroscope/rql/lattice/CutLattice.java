// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.rql.ast.Statement.Modality;
import io.retroscope.rql.evaluation.LatticeLimits;
import io.retroscope.rql.evaluation.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The search of the lattice of consistent cuts, level by level, as R. Cooper and K. Marzullo (1991)
 * describe it, within a budget. Used by one thread.
 */
final class CutLattice {
  private static final long BYTES_OF_CUT = 100;

  private final Computation computation;
  private final CutPredicate predicate;
  private final LatticeLimits limits;
  private final long held;
  private long cuts;

  /**
   * Creates a search.
   *
   * @param held the bytes of the limit that are used already
   */
  CutLattice(Computation computation, CutPredicate predicate, LatticeLimits limits, long held) {
    this.computation = computation;
    this.predicate = predicate;
    this.limits = limits;
    this.held = held;
  }

  /** The number of cuts at which the predicate was evaluated. */
  long cuts() {
    return cuts;
  }

  /** Returns the answer; undecided if the search exceeds the budget. */
  SearchResult search(Modality modality) {
    return modality == Modality.POSSIBLY ? possibly() : definitely();
  }

  private SearchResult possibly() {
    Set<Cut> level = Set.of(new Cut(computation.start()));
    while (!level.isEmpty()) {
      Optional<int[]> least = Optional.empty();
      for (Cut cut : level) {
        if (isTrue(cut.states) && least.map(l -> Arrays.compare(l, cut.states) > 0).orElse(true)) {
          least = Optional.of(cut.states);
        }
      }
      if (least.isPresent()) {
        return SearchResult.at(least.get());
      }
      Optional<Set<Cut>> next = next(new ArrayList<>(level));
      if (next.isEmpty()) {
        return SearchResult.undecided(excess());
      }
      level = next.get();
    }
    return SearchResult.NONE;
  }

  /** Searches for an interleaving that avoids the predicate. */
  private SearchResult definitely() {
    if (isTrue(computation.start()) || isTrue(computation.end())) {
      return SearchResult.EVERYWHERE;
    }
    List<Cut> avoiding = List.of(new Cut(computation.start()));
    long left = Computation.height(computation.end());
    while (!avoiding.isEmpty() && left > 0) {
      Optional<Set<Cut>> next = next(avoiding);
      if (next.isEmpty()) {
        return SearchResult.undecided(excess());
      }
      avoiding = new ArrayList<>();
      for (Cut cut : next.get()) {
        if (!isTrue(cut.states)) {
          avoiding.add(cut);
        }
      }
      left--;
    }
    return avoiding.isEmpty() ? SearchResult.EVERYWHERE : SearchResult.NONE;
  }

  private boolean isTrue(int[] cut) {
    cuts++;
    return Types.isTrue(predicate.at(cut));
  }

  /** Returns the cuts with one more state than some cut of a level; empty beyond the budget. */
  private Optional<Set<Cut>> next(List<Cut> level) {
    Set<Cut> next = new LinkedHashSet<>();
    long bytes = BYTES_OF_CUT + 4L * computation.size();
    for (Cut cut : level) {
      for (int node = 0; node < computation.size(); node++) {
        if (computation.isEnabled(cut.states, node)) {
          int[] states = cut.states.clone();
          states[node]++;
          next.add(new Cut(states));
        }
      }
      boolean exceeds =
          cuts + next.size() > limits.maxCuts()
              || held + (level.size() + next.size()) * bytes > limits.maxBytes();
      if (exceeds) {
        return Optional.empty();
      }
    }
    return Optional.of(next);
  }

  private String excess() {
    return "the lattice of cuts exceeds the limit of %,d cuts or %,d bytes: a shorter ON TIME or fewer nodes make it smaller, and tests of single nodes do not need it"
        .formatted(limits.maxCuts(), limits.maxBytes());
  }

  /** A cut as an element of a set. */
  private static final class Cut {
    private final int[] states;

    Cut(int[] states) {
      this.states = states;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Cut cut && Arrays.equals(states, cut.states);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(states);
    }
  }
}
