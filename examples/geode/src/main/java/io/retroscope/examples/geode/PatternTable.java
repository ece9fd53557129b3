// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The seconds per message of each pattern, by the size of the message. Used by one thread. */
final class PatternTable {
  private final Map<Pattern, Map<Integer, List<Long>>> nanos = new EnumMap<>(Pattern.class);

  /** Adds the time from before a put to its end. */
  void add(Pattern pattern, int bytes, long elapsedNanos) {
    nanos
        .computeIfAbsent(pattern, p -> new TreeMap<>())
        .computeIfAbsent(bytes, b -> new ArrayList<>())
        .add(elapsedNanos);
  }

  /** The median for a size, in seconds; NaN without messages. */
  double seconds(Pattern pattern, int bytes) {
    List<Long> sorted = nanos.getOrDefault(pattern, Map.of()).getOrDefault(bytes, List.of());
    sorted = sorted.stream().sorted().toList();
    return sorted.isEmpty() ? Double.NaN : sorted.get(sorted.size() / 2) / 1e9;
  }

  private List<Integer> sizes() {
    return nanos.values().stream()
        .flatMap(bySize -> bySize.keySet().stream())
        .distinct()
        .sorted()
        .toList();
  }

  /** The names of the patterns, the fastest first, by the mean of the medians. */
  List<String> ranking() {
    return nanos.keySet().stream()
        .sorted(Comparator.comparingDouble(this::meanSeconds))
        .map(Pattern::regionName)
        .toList();
  }

  private double meanSeconds(Pattern pattern) {
    return sizes().stream().mapToDouble(size -> seconds(pattern, size)).average().orElse(0);
  }

  /** The table, and the ranking as its last line. */
  String text() {
    return Stream.concat(
            Stream.of(row("seconds per message", sizes().stream().map(b -> b + " B").toList())),
            nanos.keySet().stream()
                .map(
                    pattern ->
                        row(
                            pattern.regionName(),
                            sizes().stream()
                                .map(b -> String.format(Locale.ROOT, "%.6f", seconds(pattern, b)))
                                .toList())))
        .collect(Collectors.joining("\n", "", "\n" + String.join(" < ", ranking()) + "\n"));
  }

  private static String row(String name, List<String> cells) {
    return cells.stream()
        .map(cell -> String.format(Locale.ROOT, "%10s", cell))
        .collect(Collectors.joining(" ", String.format(Locale.ROOT, "%-20s", name), ""));
  }
}
