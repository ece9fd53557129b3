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
 * A message that was handled late, by the machine's clock instead of stamps: a process or a thread
 * on its way got no processor. Immutable.
 *
 * @param from the sender's zone
 * @param to the receiver's zone
 * @param sentMicros since 1970
 * @param handledMicros when the receiver had handled it
 */
record Delay(String from, String to, long sentMicros, long handledMicros) {
  /** Has a line for each. */
  static final String FILE = "delays";

  /** A client sends {@link PaxosCase#BEHIND_SLOTS} commands in four times as long at least. */
  private static final long LEAST_MICROS = 300_000;

  /** Notes in the working directory that a message is handled now, if it was sent long ago. */
  static void note(String sender, long sentMicros) {
    long now = PhysicalClock.system().freshMicros();
    if (now - sentMicros < LEAST_MICROS) {
      return;
    }
    try {
      Files.writeString(
          Path.of(FILE),
          Layout.zoneOf(sender) + " " + sentMicros + " " + now + "\n",
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The delays that a zone noted in its file; none without one. */
  static List<Delay> read(String zone, Path file) throws IOException {
    if (Files.notExists(file)) {
      return List.of();
    }
    String text = Files.readString(file);
    return text.substring(0, text.lastIndexOf('\n') + 1)
        .lines()
        .map(line -> parse(zone, line))
        .toList();
  }

  private static Delay parse(String zone, String line) {
    String[] words = line.split(" ", -1);
    return new Delay(words[0], zone, Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  boolean concerns(String zone) {
    return from.equals(zone) || to.equals(zone);
  }

  boolean contains(long micros) {
    return sentMicros <= micros && micros <= handledMicros;
  }
}
