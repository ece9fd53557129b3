package io.retroscope.examples.zookeeper;

import io.retroscope.clock.HlcTimestamp;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A printer of matches as they arrive. Used by one thread. */
final class MatchPrinter {
  private final DemoScreen screen;
  private @Nullable Match lastRise;

  MatchPrinter(DemoScreen screen) {
    this.screen = screen;
  }

  void print(Match match) {
    String left = match.isComplete() ? "" : "  (not every node was heard)";
    if (match.isRise()) {
      lastRise = match;
      screen.say(
          String.format(
              Locale.ROOT,
              "  %s  behind by %d     %s%s",
              match.timeOfDay(),
              match.staleness(),
              match.versions(),
              left));
    } else {
      screen.say(
          String.format(
              Locale.ROOT,
              "  %s    caught up%s   %s%s",
              match.timeOfDay(),
              sinceRise(match),
              match.versions(),
              left));
    }
  }

  private String sinceRise(Match fall) {
    return lastRise == null
        ? ""
        : String.format(
            Locale.ROOT,
            " %4d ms",
            (HlcTimestamp.micros(fall.hlc()) - HlcTimestamp.micros(lastRise.hlc())) / 1_000);
  }
}
