// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * What the clients do next: the scene writes it into a file of each. Immutable.
 *
 * @param number counts the acts from 1
 * @param percent how many of their multicasts pass the sequencer
 */
record Act(int number, int percent) {
  /** The requests that a client sends in an act. */
  static final int REQUESTS = 60;

  static final String FILE = "act";

  /** The file that a client creates when all its requests of this act are done. */
  String doneFile() {
    return "done-" + number;
  }

  void write(Path file) throws IOException {
    Path part = Files.writeString(file.resolveSibling(FILE + ".part"), number + " " + percent);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  static Optional<Act> read(Path file) throws IOException {
    if (Files.notExists(file)) {
      return Optional.empty();
    }
    String[] numbers = Files.readString(file).split(" ", -1);
    return Optional.of(new Act(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1])));
  }
}
