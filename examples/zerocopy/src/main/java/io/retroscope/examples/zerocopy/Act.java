// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * What the nodes do now: the scene writes it into a file of each. Immutable.
 *
 * @param number counts the acts from 1
 * @param bytes of each of the client's writes
 */
record Act(int number, Mode mode, int bytes) {
  static final String FILE = "act";
  static final Act NONE = new Act(0, Mode.NONE, 0);

  /** How the nodes treat writes. */
  enum Mode {
    /** The primary acknowledges what two have on their disks. */
    SAFE,
    /** The primary acknowledges what it has on its own. */
    EARLY,
    /** The standby says that it has on its disk what it has not forced. */
    LAZY,
    /** The primary leaves out a byte of the log, once. */
    GAP,
    /** The client writes nothing. */
    NONE
  }

  /** The file that the client creates when its last write of this act is acknowledged. */
  String doneFile() {
    return "done-" + number;
  }

  Act ended() {
    return new Act(number, Mode.NONE, bytes);
  }

  void write(Path file) throws IOException {
    Path part =
        Files.writeString(file.resolveSibling(FILE + ".part"), number + " " + mode + " " + bytes);
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** The act of a node, which works in its folder. */
  static Act current() throws IOException {
    Path file = Path.of(FILE);
    if (Files.notExists(file)) {
      return NONE;
    }
    String[] words = Files.readString(file).split(" ", -1);
    return new Act(Integer.parseInt(words[0]), Mode.valueOf(words[1]), Integer.parseInt(words[2]));
  }
}
