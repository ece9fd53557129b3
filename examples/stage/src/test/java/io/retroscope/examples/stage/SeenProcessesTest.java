// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SeenProcessesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A process without a parent is none of this one's children. */
  @Test
  void running_parentHasEnded_isStillSeen() throws Exception {
    try (SeenProcesses processes = new SeenProcesses()) {
      Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & read line").start();
      ProcessHandle child =
          await()
              .atMost(PATIENCE)
              .until(() -> parent.children().findFirst().orElse(null), c -> c != null);
      try {
        await().atMost(PATIENCE).until(() -> processes.running(Duration.ZERO).contains(child));
        parent.getOutputStream().close();
        parent.waitFor();

        assertThat(processes.running(Duration.ZERO)).contains(child);
      } finally {
        child.destroyForcibly();
        parent.destroyForcibly();
      }
      assertThat(processes.running(PATIENCE)).doesNotContain(child);
    }
  }
}
