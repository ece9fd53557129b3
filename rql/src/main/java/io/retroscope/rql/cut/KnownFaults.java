// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.List;
import java.util.stream.Stream;

/**
 * The reasons why events of a view may be missing or wrong, as far as they are known without
 * reading events. Used by one thread.
 */
public interface KnownFaults {
  /**
   * Returns the ranges in which events of a node are lost and which overlap the given range: losses
   * that a sender declared, and gaps in the sequence numbers.
   */
  default List<Gap> gaps(HlcRange range) {
    return List.of();
  }

  /**
   * Returns the ranges that overlap the given range and in which two runs of a node assigned
   * stamps, so that the order between them is not proven.
   */
  default List<Overlap> overlaps(HlcRange range) {
    return List.of();
  }

  /**
   * Returns the reasons why events of the range may be missing or wrong, in addition to gaps and
   * overlaps, as far as they are known; scans may find more.
   */
  default List<Incompleteness> reasons(HlcRange range) {
    return List.of();
  }

  /** The sentences of {@link #reasons}, except for the ends of recordings. */
  default List<String> warnings(HlcRange range) {
    return reasons(range).stream()
        .filter(reason -> !(reason instanceof Incompleteness.AfterEnd))
        .map(Incompleteness::sentence)
        .toList();
  }

  /** Returns everything that is known to be missing in what a query reads. */
  default Completeness completeness(Completeness.Scope scope) {
    Stream<Incompleteness> lost = gaps(scope.known()).stream().map(Incompleteness.Lost::new);
    Stream<Incompleteness> overlapping =
        overlaps(scope.range()).stream().map(Incompleteness.Overlapping::new);
    return new Completeness(
        Stream.of(lost, reasons(scope.known()).stream(), overlapping)
            .flatMap(reasons -> reasons)
            .filter(reason -> reason.concerns(scope))
            .distinct()
            .toList());
  }
}
