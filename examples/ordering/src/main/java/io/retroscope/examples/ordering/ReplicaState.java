// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A replica's own account of itself. Immutable.
 *
 * @param committed the number of committed entries
 * @param rolledBack how many executions it has taken back
 * @param content the content of its store
 * @param log the ids of its log's requests
 * @param arrivals the ids in the order in which they first arrived
 */
record ReplicaState(
    int committed, int rolledBack, String content, List<String> log, List<String> arrivals) {
  /** Writes it as lines of text. */
  Path write(Path file) throws IOException {
    return Files.writeString(
        file,
        "%d %d%n%s%n%s%n%s%n"
            .formatted(
                committed, rolledBack, content, String.join(" ", log), String.join(" ", arrivals)));
  }

  static ReplicaState read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    String[] numbers = lines.get(0).split(" ", -1);
    return new ReplicaState(
        Integer.parseInt(numbers[0]),
        Integer.parseInt(numbers[1]),
        lines.get(1),
        ids(lines.get(2)),
        ids(lines.get(3)));
  }

  private static List<String> ids(String line) {
    return line.isEmpty() ? List.of() : List.of(line.split(" ", -1));
  }
}
