// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A server's note that it has recorded its role, by the machine's clock instead of a stamp.
 * Immutable.
 *
 * @param beganMicros since 1970, before it recorded the role
 * @param endedMicros after it
 */
record RoleNote(String member, String role, long beganMicros, long endedMicros) {
  static final String LEADER = "leader";
  static final String FOLLOWER = "follower";

  /** Has a line for each. */
  private static final String FILE = "roles";

  static final long CLOCK_READING_MICROS = 1_000;

  /** Adds it to the file of a server, which works in its folder. */
  void write() {
    try {
      Files.writeString(
          Path.of(FILE),
          "%s %s %d %d%n".formatted(member, role, beganMicros, endedMicros),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The notes in the folder of a server, without one that is being written. */
  static List<RoleNote> read(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    String text = Files.exists(file) ? Files.readString(file) : "";
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(RoleNote::parse).toList();
  }

  private static RoleNote parse(String line) {
    String[] words = line.split(" ", -1);
    return new RoleNote(words[0], words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
  }

  /** Whether the role can have been recorded at this time. */
  boolean contains(long micros) {
    return beganMicros - CLOCK_READING_MICROS <= micros
        && micros <= endedMicros + CLOCK_READING_MICROS;
  }
}
