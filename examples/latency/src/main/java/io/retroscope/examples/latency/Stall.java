// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A time in which a node began no round, because it was stopped or got no processor; by its clock,
 * not by the recorder. Immutable.
 *
 * @param beganMicros the node's clock at the last round before it, in microseconds since 1970
 * @param endedMicros the clock at the next one
 */
record Stall(long beganMicros, long endedMicros) {
  /** Shorter ones are no reason for a suspicion. */
  static final long LEAST_MICROS = 700_000;

  String text() {
    return beganMicros + " " + endedMicros;
  }

  /** The stalls in a file, one a line; none without a file. */
  static List<Stall> read(Path file) throws IOException {
    return Files.exists(file)
        ? Files.readAllLines(file).stream().map(Stall::parse).toList()
        : List.of();
  }

  private static Stall parse(String line) {
    String[] parts = line.split(" ", 2);
    return new Stall(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
  }
}
