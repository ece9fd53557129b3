package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.CutTime;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The runs that did not last as long as FOR requires: whether one of them may have, on the
 * reference node's clock. Used by one thread.
 */
final class ShortRuns {
  private boolean mayBeLong;
  private boolean isUnknown;

  /**
   * Adds a run.
   *
   * @param begin null if the run holds from the start of the range, where no event is known
   */
  void add(long forMicros, long beginHlc, @Nullable CutTime begin, long endHlc, CutTime end) {
    OptionalLong uncertainty =
        begin == null
            ? OptionalLong.empty()
            : CutTime.durationUncertainty(beginHlc, begin, endHlc, end);
    if (uncertainty.isEmpty()) {
      isUnknown = true;
      return;
    }
    long shown = HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(beginHlc);
    mayBeLong |= forMicros - shown <= uncertainty.getAsLong();
  }

  /** Adds the runs of another question. */
  void add(ShortRuns other) {
    mayBeLong |= other.mayBeLong;
    isUnknown |= other.isUnknown;
  }

  /** Whether one of them may have lasted long enough; empty if that is not known. */
  Optional<Boolean> mayBeLong() {
    return mayBeLong || !isUnknown ? Optional.of(mayBeLong) : Optional.empty();
  }
}
