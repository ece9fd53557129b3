// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.EventBlock;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.Pace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A recorder that follows the pace of its sink. */
class PaceTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Pace QUICK = Pace.of(Duration.ofMillis(5), false);
  private static final Pace SLOW =
      new Pace(Duration.ofMinutes(1).toNanos(), Duration.ofHours(1).toNanos(), false);

  private final Paced sink = new Paced();
  private final Recorder recorder = Recorder.builder().node("zk1").sink(sink).build();

  private static final class Paced implements EventSink {
    final List<EventBlock> blocks = new CopyOnWriteArrayList<>();
    final AtomicInteger calls = new AtomicInteger();
    volatile Pace pace = QUICK;

    @Override
    public void accept(EventBlock block) {
      blocks.add(block);
    }

    @Override
    public Pace pace(Pace wanted) {
      calls.incrementAndGet();
      return pace;
    }

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public void close() {}

    long lastPromiseMicros() {
      return blocks.isEmpty() ? 0 : blocks.get(blocks.size() - 1).promiseMicros();
    }
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  @Test
  void heartbeat_paceChanges_theLastPromiseIsKeptAndTheNextSaysHowLongItHolds() {
    await().atMost(PATIENCE).until(() -> sink.blocks.size() > 10);
    assertThat(sink.blocks).allMatch(block -> block.promiseMicros() == 5_000);

    sink.pace = SLOW;
    await().atMost(PATIENCE).until(() -> sink.lastPromiseMicros() == 3_600_000_000L);
    int heard = sink.blocks.size();
    recorder.log("setd").set("r1", 1);
    await().pollDelay(Duration.ofMillis(200)).atMost(PATIENCE).until(() -> true);
    assertThat(sink.blocks).as("gathered for a minute, silent for an hour").hasSize(heard);

    sink.pace = QUICK;
    await().atMost(PATIENCE).until(() -> sink.blocks.size() > heard + 5);
    assertThat(sink.blocks.get(heard).isEmpty()).isFalse();
    assertThat(sink.lastPromiseMicros()).isEqualTo(5_000);
  }

  @Test
  void flush_whileGathering_handsOverAtOnce() {
    sink.pace = SLOW;
    await().atMost(PATIENCE).until(() -> sink.lastPromiseMicros() == 3_600_000_000L);
    recorder.log("setd").set("r1", 1);
    assertThat(recorder.flush(PATIENCE)).isTrue();
    assertThat(sink.blocks.get(sink.blocks.size() - 1).isEmpty()).isFalse();
  }

  @Test
  void idle_slowPace_wakesSeldom() {
    sink.pace = SLOW;
    await().atMost(PATIENCE).until(() -> sink.lastPromiseMicros() == 3_600_000_000L);
    int before = sink.calls.get();
    await().pollDelay(Duration.ofMillis(500)).atMost(PATIENCE).until(() -> true);
    int wakes = sink.calls.get() - before;
    assertThat(wakes).as("wakes in half a second").isLessThan(100);
  }

  /** A drainer that wakes up for every few events takes a core from the threads that record. */
  @Test
  void busy_fewEvents_wakesAtMostOncePerMillisecond() {
    sink.pace = SLOW;
    await().atMost(PATIENCE).until(() -> sink.lastPromiseMicros() == 3_600_000_000L);
    EventLog log = recorder.log("setd");
    int before = sink.calls.get();
    long start = System.nanoTime();
    for (int version = 0; version < 2_000; version++) {
      log.set("r1", version);
      LockSupport.parkNanos(100_000);
    }
    long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
    // Twice for a pause that began while no events arrived.
    assertThat(sink.calls.get() - before).as("in " + millis + " ms").isLessThan(2 * (int) millis);
  }
}
