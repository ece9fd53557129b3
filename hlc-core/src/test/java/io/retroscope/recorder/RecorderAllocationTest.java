// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.retroscope.sink.FileSink;
import io.retroscope.sink.MemorySink;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Once compiled, the calling thread does not allocate for a change of a primitive or a text, and
 * the drainer does not allocate for one that is written to a file.
 */
class RecorderAllocationTest {
  private static final int CALLS = 100_000;
  private static final int MAX_ROUNDS = 200;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void set_primitivesAndTexts_allocateNothing() {
    try (Recorder recorder =
        Recorder.builder().node("zk1").sink(new MemorySink(10)).ringCapacity(1 << 18).build()) {
      EventLog log = recorder.log("setd");
      long fewest = Long.MAX_VALUE;
      // The last compilation may take a while on a busy machine.
      for (int round = 0; round < MAX_ROUNDS && fewest >= CALLS / 10; round++) {
        assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
        fewest = Math.min(fewest, allocatedBy(log));
      }
      assertThat(recorder.statistics().dropped()).isZero();
      assertThat((double) fewest / CALLS).isLessThan(0.1);
    }
  }

  @Test
  void set_intoAFile_allocatesNothingInTheDrainerEither(@TempDir Path directory) {
    try (Recorder recorder =
        Recorder.builder()
            .node("zk1")
            .sink(new FileSink(directory.resolve("trace.rtsb")))
            .heartbeatInterval(Duration.ofSeconds(10))
            .ringCapacity(1 << 18)
            .build()) {
      EventLog log = recorder.log("setd");
      Thread drainer = drainerOf("zk1");
      long fewest = Long.MAX_VALUE;
      for (int round = 0; round < MAX_ROUNDS && fewest >= CALLS; round++) {
        long before = threads.getThreadAllocatedBytes(drainer.getId());
        allocatedBy(log);
        assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
        long after = threads.getThreadAllocatedBytes(drainer.getId());
        fewest = Math.min(fewest, after - before);
      }
      assertThat(recorder.statistics().dropped()).isZero();
      // A block of 4,096 events has a header and lists of its names.
      assertThat((double) fewest / CALLS).isLessThan(1);
    }
  }

  private static Thread drainerOf(String node) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("retroscope-recorder-" + node))
        .findFirst()
        .orElseThrow();
  }

  private long allocatedBy(EventLog log) {
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < CALLS / 4; i++) {
      log.set("r1", i * 1_000L);
      log.set("load", i * 0.5);
      log.set("leader", (i & 1) == 0);
      log.set("role", (i & 1) == 0 ? "leader" : "follower");
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
