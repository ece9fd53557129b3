// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.health.FatalErrors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a real process with an exhausted heap ends with the documented code. */
@Timeout(120)
class OutOfMemoryTest {
  @Test
  void outOfMemory_inAnyThread_exitsWithCode70() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx32m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Hungry.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isEqualTo(FatalErrors.EXIT_CODE).isEqualTo(70);
  }

  /**
   * The program of the child process: the main thread waits forever while another one exhausts the
   * heap.
   */
  public static final class Hungry {
    private Hungry() {}

    /** Requires no arguments. */
    public static void main(String[] args) throws InterruptedException {
      FatalErrors.watchUncaught();
      Thread eater =
          new Thread(
              () -> {
                List<byte[]> eaten = new ArrayList<>();
                while (eaten.size() < Integer.MAX_VALUE) {
                  eaten.add(new byte[1 << 20]);
                }
              });
      eater.start();
      new CountDownLatch(1).await();
    }
  }
}
