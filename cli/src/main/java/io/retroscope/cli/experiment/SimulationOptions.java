// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.experiment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options of all simulations. */
final class SimulationOptions {
  static final int MAX_THREADS = 1_024;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The same seed gives the same figures (default: ${DEFAULT-VALUE}).")
  private long seed = 1;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "The number of threads (default: all cores); it does not affect the figures.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "alignment",
      description = "The folder for the tables and figures (default: ${DEFAULT-VALUE}).")
  private Path folder = Path.of("alignment");

  long seed() {
    return seed;
  }

  int threads() {
    return threads;
  }

  /** The output folder; created if it does not exist. */
  Path folder() throws IOException {
    return Files.createDirectories(folder);
  }

  /**
   * Checks an option's range.
   *
   * @throws IllegalArgumentException if the value is out of range
   */
  static void require(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          "%s must lie in %d to %d: %d".formatted(option, least, most, value));
    }
  }
}
