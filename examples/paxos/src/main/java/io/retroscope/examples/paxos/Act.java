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
 * @param shares whether clients of EPaxos share a key
 * @param user the zone whose client uses the shared object of WPaxos, or {@link #NOBODY}
 */
record Act(int number, Protocol protocol, String leader, boolean shares, String user) {
  static final String FILE = "act";
  static final String NOBODY = "-";
  static final Act NONE = new Act(0, Protocol.NONE, "-", false, NOBODY);

  /** The file that a client creates when it has nothing more to do in this act. */
  String doneFile() {
    return "done-" + number;
  }

  /** This act when no client begins another command. */
  Act ended() {
    return new Act(number, Protocol.NONE, leader, shares, user);
  }

  /** This act when the client of another zone uses the shared object. */
  Act usedIn(String zone) {
    return new Act(number, protocol, leader, shares, zone);
  }

  void write(Path file) throws IOException {
    List<String> words =
        List.of(Integer.toString(number), protocol.name(), leader, Boolean.toString(shares), user);
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
        Boolean.parseBoolean(words[3]),
        words[4]);
  }
}
