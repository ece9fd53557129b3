// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * What the clients do now: the scene writes it into a file of each zone. Immutable.
 *
 * @param number counts the acts from 1
 * @param leader of Paxos and PigPaxos
 * @param shares whether clients of EPaxos share a key, and those of WPaxos an object
 */
record Act(int number, Protocol protocol, String leader, boolean shares) {
  static final String FILE = "act";
  static final Act NONE = new Act(0, Protocol.NONE, "-", false);

  /** The file that a client creates when it has nothing more to do in this act. */
  String doneFile() {
    return "done-" + number;
  }

  /** This act when no client begins another command. */
  Act ended() {
    return new Act(number, Protocol.NONE, leader, shares);
  }

  void write(Path file) throws IOException {
    List<String> words =
        List.of(Integer.toString(number), protocol.name(), leader, Boolean.toString(shares));
    Path part = Files.writeString(file.resolveSibling(FILE + ".part"), String.join(" ", words));
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  static Act read(Path file) throws IOException {
    if (Files.notExists(file)) {
      return NONE;
    }
    String[] words = Files.readString(file).split(" ", -1);
    return new Act(
        Integer.parseInt(words[0]),
        Protocol.valueOf(words[1]),
        words[2],
        Boolean.parseBoolean(words[3]));
  }
}
