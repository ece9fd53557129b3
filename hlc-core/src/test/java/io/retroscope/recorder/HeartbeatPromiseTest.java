// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.ValueType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The promise under stress: a tiny ring, more writers than processors, heartbeats at full speed.
 * The same stress must find violations with writers that take the two steps in the wrong order;
 * otherwise it would prove nothing.
 */
class HeartbeatPromiseTest {
  private static final int WRITERS = 6;
  private static final int CAPACITY = 8;
  private static final long HEARTBEAT_NANOS = 1;
  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration UNTIL_FOUND = Duration.ofSeconds(30);

  private final HybridLogicalClock clock = new HybridLogicalClock();
  private final EventRing ring = new EventRing(CAPACITY, 1 << 20);
  private final PromiseCheck check = new PromiseCheck();
  private final VariableHandle variable = new VariableHandle("setd", "r1");

  /** A writer's steps, with a pause in the middle in which it can be overtaken. */
  private interface Writer {
    void write(long value);
  }

  @Test
  void claimThenTick_underStress_keepsEveryPromise() throws InterruptedException {
    stress(this::claimThenTick, SHORT);
    assertThat(check.violations()).isEmpty();
    assertThat(check.promiseCount()).isGreaterThan(100);
    assertThat(check.eventCount()).isGreaterThan(1_000);
  }

  @Test
  void tickThenClaim_underTheSameStress_breaksPromises() throws InterruptedException {
    stress(this::tickThenClaim, UNTIL_FOUND);
    assertThat(check.violations()).isNotEmpty();
  }

  @Test
  void recorder_underStress_keepsEveryPromiseAndNumbersEverything() throws InterruptedException {
    recorderStress(SHORT);
  }

  @Test
  @Tag("slow")
  void recorder_underLongStress_keepsEveryPromiseAndNumbersEverything()
      throws InterruptedException {
    recorderStress(LONG);
  }

  private void recorderStress(Duration duration) throws InterruptedException {
    Recorder recorder =
        Recorder.builder()
            .node("zk1")
            .sink(check)
            .ringCapacity(CAPACITY)
            .heartbeatInterval(Duration.ofNanos(HEARTBEAT_NANOS))
            .build();
    EventLog log = recorder.log("setd");
    write(value -> log.set("r" + value % 50, value), duration);
    recorder.close();
    RecorderStatistics statistics = recorder.statistics();
    assertThat(check.violations()).isEmpty();
    assertThat(check.eventCount()).isEqualTo(statistics.recorded()).isGreaterThan(1_000);
  }

  private void claimThenTick(long value) {
    Slot slot = ring.claim();
    if (slot != null) {
      pause(value);
      clock.tick(slot);
      slot.change(variable, Operation.SET, ValueType.LONG, value, null);
      slot.publish();
    }
  }

  private void tickThenClaim(long value) {
    HlcReading reading = new HlcReading();
    clock.tick(reading);
    pause(value);
    Slot slot = ring.claim();
    if (slot != null) {
      slot.hlc = reading.hlc;
      slot.physicalMicros = reading.physicalMicros;
      slot.change(variable, Operation.SET, ValueType.LONG, value, null);
      slot.publish();
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // the pause is there to be overtaken
  private static void pause(long value) {
    if (value % 64 == 0) {
      Thread.yield();
    }
  }

  private void stress(Writer writer, Duration duration) throws InterruptedException {
    Counters counters = new Counters();
    Drainer drainer =
        new Drainer(
            ring,
            clock,
            new BlockAssembler("zk1", "5f2c", check, counters),
            new Repairs(counters.unrepaired, 1 << 20),
            counters,
            HEARTBEAT_NANOS,
            System::nanoTime);
    Thread thread = new Thread(drainer, "drainer");
    thread.start();
    write(writer, duration);
    assertThat(drainer.stop(TimeUnit.SECONDS.toNanos(10))).isTrue();
    thread.join();
  }

  /** Runs the writers until the time has elapsed or a promise is broken. */
  private void write(Writer writer, Duration duration) throws InterruptedException {
    AtomicBoolean stop = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (long value = 0; !stop.get(); value++) {
                  writer.write(value);
                }
              });
      threads.add(thread);
      thread.start();
    }
    long end = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < end && check.violations().isEmpty()) {
      Thread.sleep(10);
    }
    stop.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
