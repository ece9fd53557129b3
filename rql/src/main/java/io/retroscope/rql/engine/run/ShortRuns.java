// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.run;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.engine.completeness.LostTime;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The runs that did not last as long as FOR requires, and the answers that came within WITHIN:
 * whether one of them may have lasted longer, on the reference node's clock. Used by one thread.
 */
public final class ShortRuns {
  /*
   * While a clock waits to reach the stamps again after it was set back, stamps hardly advance, so a
   * run seems shorter than it was. Such runs are counted apart, because no synchronisation of clocks
   * explains them.
   */

  /** A smaller lead of stamps over readings is normal between nodes. */
  private static final long LEAST_LOST_MICROS = 1_000;

  private boolean mayBeLong;
  private boolean isUnknown;

  /** The number of runs that may have lasted longer, because a clock stepped or stamps waited. */
  private long hidden;

  private long hiddenFromMicros = Long.MAX_VALUE;
  private long hiddenToMicros = Long.MIN_VALUE;
  private long mostAheadMicros;

  /**
   * Adds a run.
   *
   * @param begin null if the run holds from the start of the range, where no event is known
   */
  public void add(
      long forMicros, long beginHlc, @Nullable CutTime begin, long endHlc, CutTime end) {
    if (begin == null) {
      isUnknown = true;
      return;
    }
    OptionalLong uncertainty = CutTime.durationUncertainty(beginHlc, begin, endHlc, end);
    long shown = HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(beginHlc);
    boolean reaches = uncertainty.isPresent() && forMicros - shown <= uncertainty.getAsLong();
    boolean stepped = uncertainty.isEmpty() && CutTime.mayHaveStepped(beginHlc, begin, endHlc, end);
    long aheadMicros = Math.max(begin.leadMicros(beginHlc), end.leadMicros(endHlc));
    isUnknown |= uncertainty.isEmpty();
    mayBeLong |= reaches;
    boolean isLost =
        aheadMicros >= LEAST_LOST_MICROS
            || CutTime.areApart(forMicros, beginHlc, begin, endHlc, end);
    if (stepped || (reaches && isLost)) {
      hide(
          aheadMicros,
          HlcTimestamp.micros(beginHlc) - begin.leadMicros(beginHlc),
          HlcTimestamp.micros(endHlc) - end.leadMicros(endHlc));
    }
  }

  /**
   * Adds a run that still holds at the end of the range.
   *
   * @param begin null if the run holds from the start of the range, where no event is known
   * @param lostMicros the time that stamps lost during the run
   */
  void addOpen(
      long forMicros, long beginHlc, @Nullable CutTime begin, long endHlc, long lostMicros) {
    long lacking =
        forMicros - (HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(beginHlc)) - lostMicros;
    long uncertainty = begin == null ? 0 : begin.uncertaintyMicros().orElse(0);
    mayBeLong |= lacking <= uncertainty;
    if (lostMicros > 0 && lacking <= uncertainty) {
      hide(lostMicros, HlcTimestamp.micros(beginHlc) - lostMicros, HlcTimestamp.micros(endHlc));
    }
  }

  private void hide(long aheadMicros, long fromMicros, long toMicros) {
    hidden++;
    mostAheadMicros = Math.max(mostAheadMicros, aheadMicros);
    hiddenFromMicros = Math.min(hiddenFromMicros, fromMicros);
    hiddenToMicros = Math.max(hiddenToMicros, toMicros);
  }

  /** Adds the runs of another question. */
  public void add(ShortRuns other) {
    mayBeLong |= other.mayBeLong;
    isUnknown |= other.isUnknown;
    hidden += other.hidden;
    hiddenFromMicros = Math.min(hiddenFromMicros, other.hiddenFromMicros);
    hiddenToMicros = Math.max(hiddenToMicros, other.hiddenToMicros);
    mostAheadMicros = Math.max(mostAheadMicros, other.mostAheadMicros);
  }

  /** Whether one of them may have lasted long enough; empty if that is not known. */
  public Optional<Boolean> mayBeLong() {
    return mayBeLong || !isUnknown ? Optional.of(mayBeLong) : Optional.empty();
  }

  /** A sentence about runs whose stamps hide how long they lasted; empty if there is none. */
  public Optional<String> hidden(LostTime lost) {
    if (hidden == 0) {
      return Optional.empty();
    }
    return Optional.of(
        "%s; %d %s there may have lasted longer than %s"
            .formatted(
                lost.sentence().orElseGet(this::cause),
                hidden,
                hidden == 1 ? "run" : "runs",
                hidden == 1 ? "it shows" : "they show"));
  }

  private String cause() {
    return "from %s to %s %s"
        .formatted(
            HlcTimestamp.isoMicros(Math.min(hiddenFromMicros, hiddenToMicros)),
            HlcTimestamp.isoMicros(Math.max(hiddenFromMicros, hiddenToMicros)),
            mostAheadMicros <= 0
                ? "a clock stepped"
                : "stamps were up to %s ahead of every clock".formatted(seconds(mostAheadMicros)));
  }

  private static String seconds(long micros) {
    return String.format(
        Locale.ROOT, micros < LEAST_LOST_MICROS ? "%.6f s" : "%.3f s", micros / 1e6);
  }
}
