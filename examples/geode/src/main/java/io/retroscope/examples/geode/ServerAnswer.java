// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a server says of the stock, without the recorder. Immutable.
 *
 * @param version of the entry; 0 if there is none
 * @param value without its stamp
 * @param discardedCount the updates that Geode discarded here because of a conflict, by its own
 *     statistics
 * @param ownVersions the versions that Geode gave to the puts of this server
 */
record ServerAnswer(int version, String value, long discardedCount, List<Integer> ownVersions) {
  /** Copies the list. */
  ServerAnswer {
    ownVersions = List.copyOf(ownVersions);
  }

  String text() {
    return version
        + "\n"
        + value
        + "\n"
        + discardedCount
        + "\n"
        + ownVersions.stream().map(Object::toString).collect(Collectors.joining(" "));
  }

  static ServerAnswer parse(String text) {
    String[] lines = text.split("\n", -1);
    List<Integer> versions =
        Arrays.stream(lines[3].split(" ", -1))
            .filter(word -> !word.isEmpty())
            .map(Integer::valueOf)
            .toList();
    return new ServerAnswer(
        Integer.parseInt(lines[0]), lines[1], Long.parseLong(lines[2]), versions);
  }

  /** Version and value. */
  String content() {
    return version + " " + value;
  }
}
