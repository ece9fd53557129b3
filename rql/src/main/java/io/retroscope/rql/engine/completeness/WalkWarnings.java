// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.rql.analysis.UsedNodes;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.plan.BoundPlan;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All warnings of one walk about what its events lack, each sent once: before the rows of an
 * advance, after them, and at the end. Used by one thread.
 */
public final class WalkWarnings {
  private final BoundPlan plan;
  private final RowSink sink;
  private final LostTime lostTime;
  private final GapWarnings gaps;
  private final CaveatWarnings caveats;
  private final SilenceWarnings silences;

  /**
   * Creates the warnings of a walk that has not begun.
   *
   * @param limits how long a node may send nothing
   */
  public WalkWarnings(BoundPlan plan, SilenceLimits limits, RowSink sink) {
    this.plan = plan;
    this.sink = sink;
    this.lostTime = new LostTime(plan.state()::counts);
    this.gaps = new GapWarnings(sink, lostTime);
    this.caveats = new CaveatWarnings(sink, plan.state()::counts, plan.state().followsMessages());
    this.silences = new SilenceWarnings(plan, limits, sink);
  }

  /** The ranges in which stamps were ahead of every clock. */
  public LostTime lostTime() {
    return lostTime;
  }

  /** The nodes that are silent at the cuts of the walk, and the warnings about them. */
  public SilenceWarnings silences() {
    return silences;
  }

  /**
   * Finds out whether there may be reasons for warnings in the next advance.
   *
   * @param advance of many walks, this one included
   * @param from packed, the stamp up to which this one has walked
   */
  public void expect(AdvanceCaveats advance, long from) {
    caveats.setDue(sink.takesWarnings() && (!caveats.hasBegun() || advance.areNews(from)));
  }

  /**
   * Sends the warnings that precede the rows of an advance.
   *
   * @param range of the events, with those that set the state at the first cut
   * @param cuts the range of the cuts; null if no rows are wanted, or none follow
   * @param shared warnings about incomplete traces that other walks send as well; null if no other
   *     walk does
   */
  public void begin(
      View view, HlcRange range, @Nullable HlcRange cuts, @Nullable SharedCaveats shared) {
    if (!sink.takesWarnings() || !caveats.isDue()) {
      return;
    }
    gaps.check(view, range);
    if (cuts == null) {
      return;
    }
    if (shared == null) {
      caveats.check(view, cuts);
    } else {
      shared.of(plan, view, cuts).forEach(sink::warning);
    }
    silences.begin(view, cuts);
  }

  /**
   * Sends the warnings that follow the rows of an advance.
   *
   * @param range that of {@link #begin}
   * @param end packed, the stamp that the rows have reached
   * @param hidden a sentence about runs whose stamps hide how long they lasted
   */
  public void settle(View view, HlcRange range, long end, Supplier<Optional<String>> hidden) {
    if (!sink.takesWarnings()) {
      return;
    }
    if (caveats.isDue()) {
      gaps.checkSource(
          view, range, plan.slice().start(), node -> plan.state().counts(node) && uses(view, node));
    }
    silences.reached(view, end);
    if (plan.slice().live()) {
      nameLostTime(hidden);
    }
  }

  /**
   * Sends the final warnings.
   *
   * @param hidden that of {@link #settle}
   */
  public void close(Supplier<Optional<String>> hidden) {
    if (!plan.slice().live()) {
      nameLostTime(hidden);
    }
    silences.close();
  }

  /** Warns of stamps that were ahead of every clock, and of runs that they hid. */
  private void nameLostTime(Supplier<Optional<String>> hidden) {
    if (!lostTime.areRunsNamed()) {
      hidden
          .get()
          .ifPresent(
              sentence -> {
                lostTime.nameRuns();
                sink.warning(sentence);
              });
    }
    lostTime.news().forEach(sink::warning);
  }

  /** Whether it uses values of a node. A live query expects any log of any node. */
  private boolean uses(View view, String node) {
    return UsedNodes.of(plan.query()).usesAny(node)
        && (plan.slice().live() || view.mayWrite(node, Set.copyOf(plan.input().logs())));
  }
}
