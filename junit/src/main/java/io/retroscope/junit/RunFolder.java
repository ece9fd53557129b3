// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The folder of the files that one run of the tests records, so that those of a night remain. */
final class RunFolder {
  private static final String DEFAULT_DIRECTORY = "target/retroscope";

  /** The time at which this process recorded its first test, as a name of a folder. */
  private static final String STARTED =
      HlcTimestamp.isoMicros(PhysicalClock.system().micros()).replace(':', '-');

  private RunFolder() {}

  static Path of(ExtensionContext context) {
    String directory =
        context.getConfigurationParameter(ClusterExtension.DIRECTORY).orElse(DEFAULT_DIRECTORY);
    String run = context.getConfigurationParameter(ClusterExtension.RUN).orElse(STARTED);
    return Path.of(directory).resolve(run);
  }
}
