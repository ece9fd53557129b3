// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.file;

import io.retroscope.benchmarks.harness.Arguments;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/**
 * A generator of a large file of events for measurements: the register of three nodes, as in the
 * ZooKeeper example, with about 100 bytes a line.
 */
public final class LargeFile {
  private static final long BASE_MICROS = 1_795_200_000_000_000L;
  private static final int NODES = 3;

  private LargeFile() {}

  /** Takes the file, the number of events and, if lines are late, by how many lines at most. */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "file, events, perhaps the lines by which some are late");
    int lateness = given.number(2, 1);
    write(Path.of(given.text(0)), given.number(1), lateness);
  }

  private static void write(Path file, long events, int lateness) throws IOException {
    Random random = new Random(7);
    long[] sequences = new long[NODES];
    long[] versions = new long[NODES];
    String[] late = new String[lateness];
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      long micros = BASE_MICROS;
      for (long i = 0; i < events; i++) {
        int node = random.nextInt(NODES);
        micros += 1 + random.nextInt(40);
        versions[node] += random.nextInt(3);
        sequences[node]++;
        int slot = random.nextInt(lateness);
        if (late[slot] != null) {
          out.write(late[slot]);
        }
        late[slot] =
            "{\"node\":\"zk%d\",\"log\":\"setd\",\"hlc\":\"%d.%d\",\"pt\":%d,\"seq\":%d,\"set\":{\"r1\":%d}}\n"
                .formatted(
                    node + 1,
                    micros,
                    random.nextInt(3),
                    micros - 300L * node - random.nextInt(50),
                    sequences[node],
                    versions[node]);
      }
      for (String line : late) {
        if (line != null) {
          out.write(line);
        }
      }
    }
  }
}
