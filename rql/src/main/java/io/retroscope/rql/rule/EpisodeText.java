// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.rql.print.CutTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The text of the episode that decided a verdict: its time, its identity, and its cut. */
public final class EpisodeText {
  private EpisodeText() {}

  /** Returns the lines that show when and how a rule was broken. */
  public static List<String> lines(RuleResult broken) {
    if (broken.first().isEmpty()) {
      return List.of("no cut of the range fulfils it");
    }
    Episode first = broken.first().get();
    List<String> lines = new ArrayList<>();
    if (first.time().isPresent()) {
      lines.add((broken.episodes() == 1 ? "at " : "first at ") + when(first));
    }
    lines.add("episode " + first.id());
    broken.provisional().ifPresent(lines::add);
    lines.addAll(CutTable.lines(first.cut()));
    return lines;
  }

  /** The time of an episode, its uncertainty, and its duration. */
  private static String when(Episode episode) {
    StringBuilder text = new StringBuilder(episode.time().orElse(""));
    episode.uncertaintyMicros().ifPresent(micros -> text.append(" ± ").append(duration(micros)));
    episode.durationMicros().ifPresent(micros -> text.append(", for ").append(duration(micros)));
    return text.append(episode.open() ? " up to the end of the range" : "").toString();
  }

  private static String duration(long micros) {
    if (micros >= 1_000_000) {
      return String.format(Locale.ROOT, "%,.3f s", micros / 1e6);
    }
    return micros >= 1_000 ? String.format(Locale.ROOT, "%.3f ms", micros / 1e3) : micros + " µs";
  }
}
