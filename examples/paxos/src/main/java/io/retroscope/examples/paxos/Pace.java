// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How long commands took with each protocol, and with PigPaxos while a zone failed. Nothing is
 * checked here: the figures depend on the machine. Immutable.
 */
final class Pace {
  private final Map<String, List<Long>> micros;

  Pace(List<ClientNote> notes, List<Failure> failures) {
    this.micros =
        notes.stream()
            .collect(
                Collectors.groupingBy(
                    note -> title(note, failures),
                    TreeMap::new,
                    Collectors.mapping(ClientNote::micros, Collectors.toList())));
  }

  private static String title(ClientNote note, List<Failure> failures) {
    boolean failing = failures.stream().anyMatch(failure -> failure.contains(note));
    return note.protocol() + (failing ? " while a zone fails" : "");
  }

  /** A line for each. */
  String table() {
    StringBuilder table = new StringBuilder();
    table.append("%-24s %6s %11s %20s%n".formatted("", "done", "median ms", "99th percentile ms"));
    micros.forEach(
        (title, all) -> {
          List<Long> sorted = all.stream().sorted().toList();
          table.append(
              String.format(
                  Locale.ROOT,
                  "%-24s %6d %11.1f %20.1f%n",
                  title,
                  sorted.size(),
                  sorted.get(sorted.size() / 2) / 1e3,
                  sorted.get(sorted.size() * 99 / 100) / 1e3));
        });
    return table.toString();
  }
}
