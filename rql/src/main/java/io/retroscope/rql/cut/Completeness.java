// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The reasons why the events of a source may be incomplete for a query. Immutable.
 *
 * @param reasons in the order in which they are reported; none if nothing is known to be missing
 */
public record Completeness(List<Incompleteness> reasons) {
  /** Nothing is known to be missing. */
  public static final Completeness FULL = new Completeness(List.of());

  /** Copies the list. */
  public Completeness {
    reasons = List.copyOf(reasons);
  }

  /**
   * The events that a query reads.
   *
   * @param range of its cuts
   * @param counts whether the events of a node count
   * @param logs the names of the logs; empty for all
   */
  public record Scope(HlcRange range, Predicate<String> counts, Set<String> logs) {
    /** Copies the set. */
    public Scope {
      logs = Set.copyOf(logs);
    }

    /** Everything in a range. */
    public static Scope of(HlcRange range) {
      return new Scope(range, node -> true, Set.of());
    }

    /**
     * The stamps that may change the answer: an earlier event may have set the state at its start.
     */
    public HlcRange known() {
      return new HlcRange(HlcTimestamp.MIN_PACKED, range.to());
    }

    /** Whether all nodes count, also those of which no event is known. */
    public boolean areAllCounted() {
      return counts.test("");
    }
  }

  /** The same with further reasons, after the others. */
  public Completeness and(Collection<? extends Incompleteness> more) {
    return more.isEmpty()
        ? this
        : new Completeness(Stream.concat(reasons.stream(), more.stream()).toList());
  }

  /** The first reason with an effect on verdicts; empty if there is none. */
  public Optional<Incompleteness> first(Bearing bearing) {
    return reasons.stream().filter(reason -> Bearing.of(reason) == bearing).findFirst();
  }
}
