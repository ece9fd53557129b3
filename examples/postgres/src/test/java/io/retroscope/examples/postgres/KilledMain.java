// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Starts primary and standby in a folder, and waits until it is killed. */
public final class KilledMain {
  static final String READY_FILE = "ready";

  private KilledMain() {}

  /** Runs it in the folder that the argument names. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    try (Replication replication = Replication.start(folder, false)) {
      Files.writeString(folder.resolve(READY_FILE), replication.version());
      Thread.sleep(Duration.ofMinutes(10).toMillis());
    }
  }
}
