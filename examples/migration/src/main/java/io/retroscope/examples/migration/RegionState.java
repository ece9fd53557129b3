// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a region knows itself, without stamps. Immutable.
 *
 * @param given the objects that it gave away
 * @param taken the objects that it received
 * @param moving the objects that it is about to give away
 * @param owned the numbers of the objects that it owns
 * @param value the sum of their values
 */
record RegionState(int given, int taken, int moving, List<Integer> owned, long value) {
  RegionState {
    owned = List.copyOf(owned);
  }

  String text() {
    return "%d %d %d %d %s"
        .formatted(
            given,
            taken,
            moving,
            value,
            owned.isEmpty()
                ? "-"
                : owned.stream().map(String::valueOf).collect(Collectors.joining(",")));
  }

  static RegionState parse(String text) {
    String[] words = text.split(" ", -1);
    List<Integer> owned =
        words[4].equals("-")
            ? List.of()
            : Arrays.stream(words[4].split(",", -1)).map(Integer::valueOf).toList();
    return new RegionState(
        Integer.parseInt(words[0]),
        Integer.parseInt(words[1]),
        Integer.parseInt(words[2]),
        owned,
        Long.parseLong(words[3]));
  }
}
