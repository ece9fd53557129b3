// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.server.store.run.Incarnation;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Converts losses that lines report into declarations of lost blocks, each only once. Used by the
 * writing thread.
 */
final class ReportedLosses {
  /**
   * Above all block numbers: a loss that a line reports has no block number, and must not take that
   * of a block.
   */
  private static final long FIRST_NUMBER = 1L << 62;

  private final Set<Gap> known = new HashSet<>();
  private final Set<Gap> knownOfAnyRun = new HashSet<>();
  private final Map<Incarnation.Name, Long> lastNumbers = new HashMap<>();

  ReportedLosses(Collection<LostBlocks> notices) {
    for (LostBlocks notice : notices) {
      Gap gap = StoreView.gap(notice);
      known.add(gap);
      knownOfAnyRun.add(gap.of(""));
      Incarnation.Name run = new Incarnation.Name(notice.node(), notice.incarnation());
      if (run.incarnation().isEmpty() || notice.lastNumber() >= FIRST_NUMBER) {
        lastNumbers.merge(run, notice.lastNumber(), Math::max);
      }
    }
  }

  /** Adds the gaps that are not known yet; a gap of an unknown run may belong to any run. */
  void add(Collection<Gap> gaps, Changes changes) {
    for (Gap gap : gaps) {
      boolean isKnown =
          gap.incarnation().isEmpty()
              ? knownOfAnyRun.contains(gap)
              : known.contains(gap) || known.contains(gap.of(""));
      if (!isKnown) {
        known.add(gap);
        knownOfAnyRun.add(gap.of(""));
        changes.addLost(notice(gap));
      }
    }
  }

  private LostBlocks notice(Gap gap) {
    Incarnation.Name run = new Incarnation.Name(gap.node(), gap.incarnation());
    long first = run.incarnation().isEmpty() ? 1 : FIRST_NUMBER;
    long number = lastNumbers.merge(run, first, (last, f) -> last + 1);
    return new LostBlocks(
        gap.node(),
        gap.incarnation(),
        number,
        number,
        gap.eventCount(),
        gap.range().from(),
        gap.range().to());
  }
}
