// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.nio.file.Path;

/**
 * The options of a demonstration. Immutable.
 *
 * @param seconds the duration of the workload, 1 to {@link #MAX_SECONDS}
 * @param outFolder the folder for the sound and the events; created if necessary
 * @param keep whether everything keeps running after the summary, until the demo is interrupted
 * @param quiet whether only the summary is printed
 * @param port the log server's port, 0 for a free one
 * @param terminal whether a status line may be redrawn in place
 */
public record DemoOptions(
    int seconds, Path outFolder, boolean keep, boolean quiet, int port, boolean terminal) {
  /** The longest run. */
  public static final int MAX_SECONDS = 3_600;

  /** The default duration of the demo. */
  public static final int DEFAULT_SECONDS = 20;

  /** Checks the ranges. */
  public DemoOptions {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw new IllegalArgumentException(
          "seconds must be 1 to " + MAX_SECONDS + ", not " + seconds);
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, not " + port);
    }
  }

  /** Options for twenty seconds on a free port, with files in {@code outFolder}. */
  public static DemoOptions defaults(Path outFolder) {
    return new DemoOptions(DEFAULT_SECONDS, outFolder, false, false, 0, false);
  }
}
