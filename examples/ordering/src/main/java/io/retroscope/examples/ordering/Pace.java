// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.OrderingScene.PlayedAct;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * How quickly requests were done in each kind of act, by the clients' notes. Nothing is checked
 * here: the figures depend on the machine. Immutable.
 */
final class Pace {
  private final List<PlayedAct> acts;

  /** Microseconds from sending to done, by the percentage that passes the sequencer. */
  private final Map<Integer, List<Long>> micros = new TreeMap<>();

  Pace(List<ClientNote> notes, List<PlayedAct> acts) {
    this.acts = acts;
    Map<String, Integer> percents = new HashMap<>();
    for (ClientNote note : notes) {
      if (note.isDone()) {
        micros
            .computeIfAbsent(percents.getOrDefault(note.id(), -1), percent -> new ArrayList<>())
            .add(note.micros());
      } else {
        percents.put(note.id(), note.percent());
      }
    }
  }

  /** A line for each kind. */
  String table() {
    StringBuilder table = new StringBuilder();
    table.append("% past the sequencer   done   done/s   median ms   99th percentile ms\n");
    micros.forEach(
        (percent, all) -> {
          List<Long> sorted = all.stream().sorted().toList();
          double seconds =
              acts.stream()
                  .filter(act -> act.percent() == percent)
                  .mapToDouble(PlayedAct::seconds)
                  .sum();
          table.append(
              String.format(
                  Locale.ROOT,
                  "%20d %6d %8.1f %11.1f %20.1f%n",
                  percent,
                  sorted.size(),
                  sorted.size() / seconds,
                  sorted.get(sorted.size() / 2) / 1e3,
                  sorted.get(sorted.size() * 99 / 100) / 1e3));
        });
    return table.toString();
  }
}
