// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.clock.PhysicalClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A time in which a zone got no processor, by the machine's clock instead of stamps: its process
 * slept for too long, or a message waited for a node that had nothing to do. Immutable.
 *
 * @param beganMicros since 1970
 * @param endedMicros when the zone noticed it
 */
record Stall(String zone, long beganMicros, long endedMicros) {
  /** Has a line for each. */
  static final String FILE = "stalls";

  /** Others need about as long for {@link PaxosCase#BEHIND_SLOTS} commands. */
  private static final long LEAST_MICROS = 300_000;

  /** Notes a stall in the working directory if a time is long ago. */
  static void noteSince(long micros) {
    long now = PhysicalClock.system().freshMicros();
    if (now - micros < LEAST_MICROS) {
      return;
    }
    try {
      Files.writeString(
          Path.of(FILE),
          micros + " " + now + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The stalls of a zone in its file; none without one. */
  static List<Stall> read(String zone, Path file) throws IOException {
    if (Files.notExists(file)) {
      return List.of();
    }
    String text = Files.readString(file);
    return text.substring(0, text.lastIndexOf('\n') + 1)
        .lines()
        .map(line -> parse(zone, line))
        .toList();
  }

  private static Stall parse(String zone, String line) {
    String[] words = line.split(" ", -1);
    return new Stall(zone, Long.parseLong(words[0]), Long.parseLong(words[1]));
  }

  boolean contains(long micros) {
    return beganMicros <= micros && micros <= endedMicros;
  }
}
