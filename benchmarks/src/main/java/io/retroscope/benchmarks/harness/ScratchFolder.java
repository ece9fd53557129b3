// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder of one measurement, which is deleted with everything in it. Immutable.
 *
 * @param path its place, a temporary one
 */
public record ScratchFolder(Path path) implements AutoCloseable {
  /** Creates an empty folder with a word about the measurement in its name. */
  public static ScratchFolder create(String word) throws IOException {
    return new ScratchFolder(Files.createTempDirectory("retroscope-" + word));
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
