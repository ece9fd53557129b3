// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import java.util.List;
import java.util.Locale;

/** The mean time of accesses and the moves of each act. */
final class Pace {
  private Pace() {}

  static double meanMillis(List<Note> notes, PlayedAct act) {
    return notes.stream()
            .filter(note -> note.act() == act.number())
            .mapToLong(Note::micros)
            .average()
            .orElse(0)
        / 1e3;
  }

  /** A line for each act. */
  static String table(List<Note> notes, List<PlayedAct> acts) {
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(Locale.ROOT, "%-36s %9s %8s %6s%n", "", "accesses", "mean ms", "moves"));
    for (PlayedAct act : acts) {
      table.append(
          String.format(
              Locale.ROOT,
              "%-36s %9d %8.1f %6d%n",
              act.script().title(),
              act.counted(),
              meanMillis(notes, act),
              act.moves()));
    }
    return table.toString();
  }
}
