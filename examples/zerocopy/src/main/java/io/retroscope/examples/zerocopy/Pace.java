// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.examples.zerocopy.Act.Mode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How quickly writes were acknowledged, by their size, when two disks have them. */
final class Pace {
  private Pace() {}

  /** The bytes per second of each size. */
  static Map<Integer, Double> bytesPerSecond(List<Note> notes, List<PlayedAct> acts) {
    Set<Integer> safe =
        acts.stream()
            .filter(played -> played.act().mode() == Mode.SAFE)
            .map(played -> played.act().number())
            .collect(Collectors.toSet());
    Map<Integer, Double> rates = new TreeMap<>();
    notes.stream()
        .filter(note -> safe.contains(note.act()))
        .collect(Collectors.groupingBy(Note::bytes))
        .forEach(
            (bytes, written) -> {
              List<Long> micros = written.stream().map(Note::micros).sorted().toList();
              rates.put(bytes, bytes * 1e6 / micros.get(micros.size() / 2));
            });
    return rates;
  }

  /** A line for each size. */
  static String table(List<Note> notes, List<PlayedAct> acts) {
    StringBuilder table = new StringBuilder();
    table.append("bytes of a write   MB/s, by the median time of a write\n");
    bytesPerSecond(notes, acts)
        .forEach(
            (bytes, rate) ->
                table.append(String.format(Locale.ROOT, "%,16d %8.2f%n", bytes, rate / 1e6)));
    return table.toString();
  }
}
