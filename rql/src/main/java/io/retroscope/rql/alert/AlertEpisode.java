// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import io.retroscope.clock.HlcTimestamp;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A stretch of time in which an alert's predicate holds, with interruptions of at most the alert's
 * {@code keep}. Immutable.
 *
 * @param id the alert, the item, and the stamp of the rise: the identity that {@code backtest}
 *     prints
 * @param fall empty while it holds
 */
public record AlertEpisode(String id, String item, Edge rise, Optional<Edge> fall) {
  static AlertEpisode of(String alert, Edge rise, Optional<Edge> fall) {
    String item = rise.item().isEmpty() ? "" : "[" + rise.item() + "]";
    return new AlertEpisode(
        alert + item + "@" + HlcTimestamp.text(rise.hlc()), rise.item(), rise, fall);
  }

  /** The duration on recorded clocks in microseconds; empty while it holds. */
  public OptionalLong durationMicros() {
    return fall.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(HlcTimestamp.micros(fall.get().hlc()) - HlcTimestamp.micros(rise.hlc()));
  }

  /**
   * Whether the uncertainty of the clocks could undo it: its row says so, or it is over and lasted
   * no longer than the uncertainties of its two ends. FALSE if they are unknown.
   */
  public boolean isBorderline() {
    if (rise.isBorderline()) {
      return true;
    }
    OptionalLong begin = rise.uncertaintyMicros();
    OptionalLong end = fall.map(Edge::uncertaintyMicros).orElse(OptionalLong.empty());
    return begin.isPresent()
        && end.isPresent()
        && begin.getAsLong() + end.getAsLong() > 0
        && durationMicros().orElse(Long.MAX_VALUE) <= begin.getAsLong() + end.getAsLong();
  }

  /** Whether it is over, and no further rise up to a stamp can continue it. */
  boolean isOver(long reachedHlc, long keepMicros) {
    return fall.isPresent()
        && HlcTimestamp.micros(reachedHlc) - HlcTimestamp.micros(fall.get().hlc()) >= keepMicros;
  }
}
