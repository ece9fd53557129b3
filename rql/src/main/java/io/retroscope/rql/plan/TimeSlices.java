// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.plan;

import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Slicing;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The slices of time that a walk over history is split into. */
public final class TimeSlices {
  /*
   * Slices differ in their cost, and at the end one thread waits for the last slice of another. But
   * each slice must find the state at its start, which takes as long as some 50,000 events.
   */
  private static final int SLICES_PER_THREAD = 2;

  private TimeSlices() {}

  /**
   * Returns adjacent ranges from the start of the plan's range to its end: only one if the walk
   * cannot be split.
   *
   * @param threads the number of threads of this process that may walk them
   */
  public static List<HlcRange> of(BoundPlan plan, View view, int threads) {
    HlcRange whole = plan.slice().history().orElseThrow();
    // The walk of a STREAM continues live, from the state at the end of its history.
    boolean isOne = plan.slice().live() || plan.whyOneSlice().isPresent();
    Optional<Slicing> slicing = view.slicing();
    int walking = threads + hosts(plan, view).size();
    if (isOne || walking == 1 || slicing.isEmpty() || plan.output().limit() == 0) {
      return List.of(whole);
    }
    int most = SLICES_PER_THREAD * walking;
    long[] borders = slicing.get().borders(plan.input().logs(), whole, most);
    List<HlcRange> slices = new ArrayList<>();
    long from = whole.from();
    for (long border : borders) {
      slices.add(new HlcRange(from, border - 1));
      from = border;
    }
    slices.add(new HlcRange(from, whole.to()));
    return slices;
  }

  /** The other processes that may walk slices: none if only this one knows what they need. */
  public static List<Slicing.Host> hosts(BoundPlan plan, View view) {
    return plan.input().usesClocks()
        ? List.of()
        : view.slicing().map(Slicing::hosts).orElse(List.of());
  }
}
