// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for warnings in an advance of many live walks, found once for all of them, when the
 * first one needs them. Used by one thread.
 */
public final class AdvanceCaveats {
  private final View view;
  private final HlcRange range;
  private @Nullable Facts before;
  private @Nullable Facts facts;
  private boolean isNews = true;

  /** All that the source knows to be missing or doubtful in a range. */
  public record Facts(List<Gap> gaps, List<Overlap> overlaps, List<Incompleteness> reasons) {
    static Facts of(View view, HlcRange range) {
      return new Facts(view.gaps(range), view.overlaps(range), view.reasons(range));
    }

    /** Whether a walk must see each range, because it sums the time that is lost in it. */
    boolean areSummed() {
      return reasons.stream().anyMatch(Incompleteness.Ahead.class::isInstance);
    }
  }

  /**
   * The reasons in an advance.
   *
   * @param range from the end of the advance before, whose reasons are known
   * @param before the facts of that advance; null if they are not known
   */
  public AdvanceCaveats(View view, HlcRange range, @Nullable Facts before) {
    this.view = view;
    this.range = range;
    this.before = before;
  }

  /** The findings, which do not refer to the view; null if nothing was needed. */
  public @Nullable Facts facts() {
    return facts;
  }

  /**
   * Whether a walk that took part in the advance before may have to warn of anything new.
   *
   * @param from packed, the stamp up to which it has walked
   */
  boolean areNews(long from) {
    if (from < range.from()) {
      return true;
    }
    if (facts == null) {
      Facts now = Facts.of(view, range);
      isNews =
          !now.equals(before)
              || now.areSummed()
              || view.scan(CaveatWarnings.OWN_LOG, range).events().hasNext();
      facts = now;
      before = null;
    }
    return isNews;
  }
}
