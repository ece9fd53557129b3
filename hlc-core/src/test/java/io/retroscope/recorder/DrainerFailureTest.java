// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.MemorySink;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Errors in everything that the drainer calls, including the logging of the errors. */
class DrainerFailureTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long PATIENCE_NANOS = PATIENCE.toNanos();

  private final Logger logger = Logger.getLogger("io.retroscope.recorder");
  private final Exhausted handler = new Exhausted();
  private final FailingSink sink = new FailingSink();
  private final Counters counters = new Counters();
  private volatile boolean clockFails;
  private final PhysicalClock physical =
      () -> {
        if (clockFails && Thread.currentThread().getName().equals("drainer")) {
          throw new OutOfMemoryError("as a test has it");
        }
        return PhysicalClock.system().micros();
      };
  private final HybridLogicalClock clock = new HybridLogicalClock(physical);
  private final EventRing ring = new EventRing(8, 1 << 20);
  private final Repairs repairs = new Repairs(counters.unrepaired, 1 << 20);
  private final EventWriter writer =
      new EventWriter(
          ring, clock, repairs, new Admission(100, counters, System::nanoTime), counters);
  private final Drainer drainer =
      new Drainer(
          ring,
          clock,
          new BlockAssembler("zk1", "5f2c", sink, counters),
          repairs,
          counters,
          1_000_000,
          System::nanoTime);
  private final VariableHandle variable = new VariableHandle("setd", "r1");

  /** A log handler that fails as well. */
  private static final class Exhausted extends Handler {
    final AtomicInteger calls = new AtomicInteger();

    @Override
    public void publish(LogRecord record) {
      if (!Thread.currentThread().getName().equals("drainer")) {
        return; // from a recorder of an earlier test
      }
      calls.incrementAndGet();
      throw new OutOfMemoryError("as a test has it");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static final class FailingSink implements EventSink {
    final AtomicInteger failures = new AtomicInteger();
    final AtomicInteger heartbeats = new AtomicInteger();
    final MemorySink memory = new MemorySink();
    volatile boolean interrupted;

    @Override
    public void accept(EventBlock block) {
      interrupted = Thread.currentThread().isInterrupted();
      if (!block.isEmpty() && failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new OutOfMemoryError("as a test has it");
      }
      memory.accept(block);
      heartbeats.addAndGet(block.isEmpty() ? 1 : 0);
    }

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() {
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
    new Thread(drainer, "drainer").start();
  }

  @AfterEach
  void stop() {
    clockFails = false;
    drainer.stop(PATIENCE_NANOS);
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  private void set(long value) {
    writer.change(variable, Operation.SET, ValueType.LONG, value, null);
  }

  private List<Long> sequences() {
    return sink.memory.events().stream().map(Event::sequence).toList();
  }

  @Test
  void sink_errorsTwice_flushesReportItAndRecordingContinues() {
    sink.failures.set(2);
    for (int i = 1; i <= 2; i++) {
      set(i);
      assertThat(drainer.flush(PATIENCE_NANOS)).isFalse();
      int before = sink.heartbeats.get();
      await().atMost(PATIENCE).until(() -> sink.heartbeats.get() > before);
    }
    set(3);
    assertThat(drainer.flush(PATIENCE_NANOS)).isTrue();
    assertThat(sequences()).containsExactly(3L);
    assertThat(counters.lostBySink.sum()).isEqualTo(2);
    assertThat(handler.calls).hasValue(1);
  }

  @Test
  void event_cannotBeEncoded_isLostVisiblyAndTheNextIsRecorded() {
    Value impossible = Value.setOf(new Value.TimestampValue(1));
    writer.change(variable, Operation.SET, ValueType.NULL, 0, impossible);
    assertThat(drainer.flush(PATIENCE_NANOS)).isFalse();
    set(2);
    assertThat(drainer.flush(PATIENCE_NANOS)).isTrue();
    assertThat(sequences()).containsExactly(2L);
    assertThat(counters.lostByDrainer.sum()).isPositive();
  }

  @Test
  void rounds_fail_writersDropVisiblyUntilTheyNoLongerDo() {
    clockFails = true;
    await().atMost(PATIENCE).until(drainer::isFailing);
    assertThat(drainer.flush(1_000_000)).isFalse();
    for (int i = 0; i < 20; i++) {
      set(i);
    }
    assertThat(counters.dropped.sum()).isEqualTo(12);
    assertThat(handler.calls).hasValue(1);
    clockFails = false;
    assertThat(drainer.flush(PATIENCE_NANOS)).isTrue();
    await().atMost(PATIENCE).until(() -> !drainer.isFailing());
    assertThat(sequences()).contains(1L, 8L);
  }

  @Test
  void stop_fails_isReportedByStopAndFlush() {
    clockFails = true;
    assertThat(drainer.stop(PATIENCE_NANOS)).isFalse();
    assertThat(drainer.isFailing()).isTrue();
    assertThat(drainer.flush(PATIENCE_NANOS)).isFalse();
    assertThat(ring.claim()).isNull();
  }

  @Test
  void drainer_interrupted_theSinkDoesNotSeeIt() {
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("drainer"))
        .forEach(Thread::interrupt);
    for (int i = 1; i <= 2; i++) {
      set(i);
      assertThat(drainer.flush(PATIENCE_NANOS)).isTrue();
    }
    assertThat(sequences()).containsExactly(1L, 2L);
    assertThat(sink.interrupted).isFalse();
  }
}
