// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import java.nio.file.Files;
import java.nio.file.Path;

/** A billing whose standby is killed while it starts. */
public final class KilledStandby {
  private KilledStandby() {}

  /** Kills the standby, and runs the billing, as {@link BillingNode#main}. */
  public static void main(String[] args) throws Exception {
    Path pidFile = Path.of("..", "postgres-data", "standby", "postmaster.pid");
    long pid = Long.parseLong(Files.readAllLines(pidFile).get(0).strip());
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    BillingNode.main(args);
  }
}
