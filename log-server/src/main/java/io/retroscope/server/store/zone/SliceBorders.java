// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The stamps at which a walk over sealed blocks of one or more stores is split into slices. */
public final class SliceBorders {
  private SliceBorders() {}

  /**
   * A sealed block.
   *
   * @param firstHlc packed
   */
  public record Start(long firstHlc, long events) {}

  /**
   * The first stamps of some blocks, which split a range into slices of about as many events:
   * packed, ascending, above the start of the range.
   *
   * @param stores the blocks of each store
   * @param most the largest number of slices
   * @param minEvents the smallest number of events of a slice
   */
  public static long[] of(
      Collection<List<Start>> stores, HlcRange range, int most, long minEvents) {
    List<Start> sorted = new ArrayList<>();
    stores.forEach(sorted::addAll);
    sorted.sort(Comparator.comparingLong(Start::firstHlc));
    long events = sorted.stream().mapToLong(Start::events).sum();
    int slices = (int) Math.min(most, events / minEvents);
    List<Long> borders = new ArrayList<>();
    long before = 0;
    for (Start block : sorted) {
      boolean isDue = before * slices >= (borders.size() + 1) * events;
      boolean isAbove = borders.isEmpty() || block.firstHlc() > borders.get(borders.size() - 1);
      if (isDue && isAbove && block.firstHlc() > range.from()) {
        borders.add(block.firstHlc());
      }
      before += block.events();
    }
    return borders.stream().mapToLong(border -> border).toArray();
  }
}
