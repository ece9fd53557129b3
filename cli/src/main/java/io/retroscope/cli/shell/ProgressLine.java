// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A line on a terminal with the progress of a long query: the number of cuts, their rate, the stamp
 * reached and, if the query's range is known, its completed share and the remaining time. Used by
 * one thread.
 */
final class ProgressLine {
  /** The time before the line first appears. */
  static final long FIRST_NANOS = 1_000_000_000L;

  private static final long INTERVAL_NANOS = 250_000_000L;
  private static final String CLEAR = "\r\u001B[K";

  private final PrintWriter err;
  private final ShellClock clock;
  private final Supplier<Optional<HlcRange>> range;
  private final int width;
  private final long startNanos;
  private long lastNanos;
  private Optional<Optional<HlcRange>> knownRange = Optional.empty();
  private boolean shown;

  /**
   * Creates a line and starts to measure time.
   *
   * @param range the range of the query, empty if it is not known; called at most once
   */
  ProgressLine(PrintWriter err, ShellClock clock, int width, Supplier<Optional<HlcRange>> range) {
    this.err = err;
    this.clock = clock;
    this.width = width;
    this.range = range;
    this.startNanos = clock.nanos();
    this.lastNanos = startNanos + FIRST_NANOS - INTERVAL_NANOS;
  }

  /** Updates the line, at most once per interval. */
  void update(long cuts, long hlc) {
    long now = clock.nanos();
    if (now - lastNanos < INTERVAL_NANOS) {
      return;
    }
    lastNanos = now;
    if (knownRange.isEmpty()) {
      knownRange = Optional.of(range.get());
    }
    String text = text(cuts, hlc, now - startNanos);
    err.print(CLEAR + text.substring(0, Math.min(text.length(), width - 1)));
    err.flush();
    shown = true;
  }

  private String text(long cuts, long hlc, long elapsedNanos) {
    double seconds = elapsedNanos / 1e9;
    String text =
        String.format(
            Locale.ROOT,
            "%,d cuts, %,.0f/s, at %s",
            cuts,
            cuts / seconds,
            HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc)));
    Optional<HlcRange> whole = knownRange.flatMap(r -> r);
    if (whole.isEmpty()) {
      return text;
    }
    double share = share(whole.get(), hlc);
    text += String.format(Locale.ROOT, ", %.0f%%", 100 * share);
    return share > 0
        ? text + String.format(Locale.ROOT, ", %.0f s left", seconds / share - seconds)
        : text;
  }

  private static double share(HlcRange range, long hlc) {
    double from = HlcTimestamp.micros(range.from());
    double length = HlcTimestamp.micros(range.to()) - from;
    double share = length <= 0 ? 1 : (HlcTimestamp.micros(hlc) - from) / length;
    return Math.max(0, Math.min(1, share));
  }

  /** Removes the line, so that other text can be printed in its place. */
  void clear() {
    if (shown) {
      err.print(CLEAR);
      err.flush();
      shown = false;
    }
  }
}
