// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.cluster.FaultRun.Fault;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of faults of three servers and a broker in processes of their own. {@code
 * -Dretroscope.seed} gives the same faults again, {@code -Dretroscope.faults} the number of them;
 * {@code ClusterTest} has a short run.
 */
@Tag("slow")
@Timeout(3_600)
class ClusterFaultTest {
  private static final String TOPIC = "faults";

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  @TempDir Path folder;

  @Test
  void events_threeFaults_areAllStoredOnceAndAnswered() throws Exception {
    run(List.of(Fault.KILL, Fault.BROKER_KILL, Fault.EMPTY));
  }

  @Test
  void events_manyFaults_areAllStoredOnceAndAnswered() throws Exception {
    run(FaultRun.faults(seed, Integer.getInteger("retroscope.faults", 20)));
  }

  private void run(List<Fault> faults) throws Exception {
    try (ClusterChildren cluster = new ClusterChildren(folder, TOPIC)) {
      for (int i = 0; i < 3; i++) {
        cluster.start();
      }
      new FaultRun(folder, seed).run(cluster, faults);
    }
  }
}
