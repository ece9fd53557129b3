// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.examples.stage.DemoScreen;
import io.retroscope.examples.stage.Match;
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
              match.number("staleness"),
              match.byNode("r1"),
              left));
    } else {
      screen.say(
          String.format(
              Locale.ROOT,
              "  %s    caught up%s   %s%s",
              match.timeOfDay(),
              sinceRise(match),
              match.byNode("r1"),
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
