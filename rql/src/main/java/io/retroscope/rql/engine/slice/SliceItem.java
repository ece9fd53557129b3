// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.evaluation.EvaluationException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a slice of history contributes to an answer, in the order of its cuts. Immutable. */
public sealed interface SliceItem {
  /** An item that a cut made. */
  sealed interface OfCut extends SliceItem {
    /** The packed stamp of the cut. */
    long hlc();

    /** The nodes of which the query uses values after the cut. */
    Set<String> valued();
  }

  /**
   * A row that may be needed: whether it is depends on the cuts before the slice.
   *
   * @param row null if it is not needed, or could not be made
   * @param failure why it could not be made
   */
  record MaybeRow(@Nullable CutRow row, @Nullable EvaluationException failure) {
    static final MaybeRow NONE = new MaybeRow(null, null);

    long bytes() {
      return (row == null ? 0 : row.bytes()) + (failure == null ? 0 : failureBytes(failure));
    }
  }

  /** A cut at which WHEN holds, or at the start of the range. */
  record Holds(long hlc, boolean atStart, MaybeRow row, Set<String> valued) implements OfCut {}

  /**
   * Cuts at which WHEN still holds, of which no row is needed.
   *
   * @param hlc the packed stamp of the last one
   */
  record StillHolds(long hlc, long cuts, Set<String> valued) implements OfCut {}

  /**
   * A cut at which WHEN does not hold, and at which a run may end.
   *
   * @param momentary whether WHEN held at the cut, but only because of a momentary value
   */
  record Ends(long hlc, boolean momentary, CutTime time, MaybeRow row, Set<String> valued)
      implements OfCut {}

  /** A cut that could not be evaluated. */
  record Fails(long hlc, EvaluationException failure, Set<String> valued) implements OfCut {}

  /** A warning about an event. */
  record Warns(EventWarning warning) implements SliceItem {}

  /**
   * The progress of the slice.
   *
   * @param cuts the number of its cuts so far
   * @param hlc packed; all cuts up to it are among them
   */
  record Progress(long cuts, long hlc) implements SliceItem {}

  /**
   * The end of the slice.
   *
   * @param hlc the packed stamp of its end
   * @param cuts the number of its cuts
   * @param lastCut the packed stamp of the last one, {@link HlcTimestamp#MIN_PACKED} without one
   * @param valued the nodes of which the query uses values then
   */
  record Finished(long hlc, long cuts, long lastCut, Set<String> valued) implements SliceItem {}

  /**
   * An upper estimate of the heap that the item takes, in bytes, without its {@link OfCut#valued},
   * which many items share.
   */
  default long bytes() {
    long more = 0;
    if (this instanceof Holds holds) {
      more = holds.row.bytes();
    } else if (this instanceof Ends ends) {
      more = ends.row.bytes();
    } else if (this instanceof Fails fails) {
      more = failureBytes(fails.failure);
    }
    return 150 + more;
  }

  /** An error has no stack trace, but its own text. */
  private static long failureBytes(EvaluationException failure) {
    return 250 + 4L * String.valueOf(failure.getMessage()).length();
  }
}
