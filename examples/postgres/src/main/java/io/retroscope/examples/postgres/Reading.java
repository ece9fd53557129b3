// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The billing's note about a read at the standby, by PostgreSQL's positions instead of stamps.
 * Immutable.
 *
 * @param promised the order that the shop has passed on, after the primary acknowledged it
 * @param read the order that the standby returned
 * @param committedUpTo the primary's position after the commit of the promised order, in bytes of
 *     its log
 * @param replayedUpTo the standby's position before the read
 */
record Reading(long promised, long read, long committedUpTo, long replayedUpTo) {
  String text() {
    return promised + " " + read + " " + committedUpTo + " " + replayedUpTo;
  }

  /** The readings in a file, one a line, without one that is being written. */
  static List<Reading> read(Path file) throws IOException {
    String text = Files.exists(file) ? Files.readString(file) : "";
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Reading::parse).toList();
  }

  static Reading parse(String line) {
    String[] parts = line.split(" ", -1);
    return new Reading(
        Long.parseLong(parts[0]),
        Long.parseLong(parts[1]),
        Long.parseLong(parts[2]),
        Long.parseLong(parts[3]));
  }

  boolean isStale() {
    return read < promised;
  }

  /** Whether the standby had not replayed the commit: only then may the read be stale. */
  boolean mayBeStale() {
    return replayedUpTo < committedUpTo;
  }
}
