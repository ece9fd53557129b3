// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.MemorySink;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of waiting and of drained slots, in bytes. */
class RingMemoryTest {
  private static final int CAPACITY = 64;
  private static final int MAX_BYTES = 100_000;

  private final Counters counters = new Counters();
  private final HybridLogicalClock clock = new HybridLogicalClock();
  private final EventRing ring = new EventRing(CAPACITY, MAX_BYTES);
  private final Repairs repairs = new Repairs(counters.unrepaired, MAX_BYTES);
  private final EventWriter writer =
      new EventWriter(
          ring, clock, repairs, new Admission(10_000, counters, System::nanoTime), counters);
  private final MemorySink sink = new MemorySink();
  private final Drainer drainer =
      new Drainer(
          ring,
          clock,
          new BlockAssembler("zk1", "5f2c", sink, counters),
          repairs,
          counters,
          1,
          System::nanoTime);

  private void setText(VariableHandle variable, int length) {
    writer.change(variable, Operation.SET, ValueType.STRING, 0, "x".repeat(length));
  }

  private static VariableHandle variable(int index) {
    return new VariableHandle("setd", "r" + index);
  }

  @Test
  void text_beyondTheBytes_isDroppedWhileNumbersAreNot() {
    for (int i = 0; i < 20; i++) {
      setText(variable(0), 5_000);
    }
    assertThat(counters.dropped.sum()).isEqualTo(11);
    assertThat(ring.reservedBytes()).isBetween(90_000L, (long) MAX_BYTES);
    writer.change(variable(1), Operation.SET, ValueType.LONG, 4, null);
    assertThat(counters.dropped.sum()).isEqualTo(11);
    drainer.round();
    assertThat(ring.reservedBytes()).isZero();
    assertThat(sink.events()).extracting(event -> event.sequence()).contains(21L);
    setText(variable(0), 5_000);
    assertThat(counters.dropped.sum()).isEqualTo(11);
  }

  @Test
  void everyKind_beyondTheBytes_isDropped() {
    String text = "x".repeat(60_000);
    Value nested = Value.setOf(Value.of(text));
    writer.change(variable(0), Operation.SET, ValueType.NULL, 0, nested);
    Change change = new Change(Operation.SET, "r1", nested);
    writer.record("setd", new StateChange(List.of(change)));
    writer.record("setd", new LogLine(text, Map.of()));
    writer.record("setd", new LogLine("", Map.of("a", Value.of(text))));
    writer.send("net", 0, "zk2", text, MessageSample.ALL);
    writer.receive("net", 0, text, "m1", 0);
    writer.change(new VariableHandle("setd", text, false), Operation.SET, ValueType.LONG, 4, null);
    assertThat(counters.dropped.sum()).isEqualTo(7);
    assertThat(ring.reservedBytes()).isZero();
  }

  /** Services with a tracing filter record little else. */
  @Test
  void message_identifiedByItsStamp_holdsNothingBesidesItsSlot() {
    long sent = writer.send("net", 0, "", null, MessageSample.ALL);
    long received = writer.receive("net", 0, "", null, sent);
    assertThat(received).isGreaterThan(sent);
    assertThat(ring.reservedBytes()).isZero();
    drainer.round();
    assertThat(sink.events())
        .extracting(event -> event.body())
        .contains(new Send("", HlcTimestamp.text(sent)), new Receive("", HlcTimestamp.text(sent)));
  }

  @Test
  void drained_everySlot_holdsNothingButKeptVariables() {
    for (int i = 0; i < CAPACITY / 8; i++) {
      setText(variable(0), 500);
      writer.send("net", 0, "zk2", "m" + i, MessageSample.ALL);
      writer.receive("net", 0, "zk2", "m" + i, 0);
      writer.record("setd", new LogLine("timeout", Map.of()));
      writer.change(
          new VariableHandle("setd", "once" + i, false), Operation.SET, ValueType.LONG, 4, null);
      writer.change(variable(0), Operation.SET, ValueType.LONG, 4, null);
    }
    drainer.round();
    assertThat(counters.dropped.sum()).isZero();
    for (int i = 0; i < CAPACITY; i++) {
      Slot slot = ring.slot(i);
      assertThat(slot.payload).isNull();
      assertThat(slot.messageId).isNull();
      assertThat(slot.subject).isIn("", variable(0));
    }
  }

  @Test
  void slot_withCompressedReferences_fillsOneCacheLine() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Slot[] slots = new Slot[10_000];
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < slots.length; i++) {
      slots[i] = new Slot();
    }
    long each = (threads.getCurrentThreadAllocatedBytes() - before) / slots.length;
    assertThat(each).isLessThanOrEqualTo(64);
    assertThat(slots).doesNotContainNull();
  }

  @Test
  void repairs_beyondTheBytes_areCountedAndForgotten() {
    for (int i = 0; i < 100; i++) {
      String text = "x".repeat(5_000);
      repairs.dropped(variable(i), new Change(Operation.SET, "r" + i, Value.of(text)));
    }
    assertThat(counters.unrepaired.sum()).isBetween(90L, 92L);
    drainer.round();
    assertThat(counters.repaired.sum() + counters.unrepaired.sum()).isEqualTo(100);
    repairs.dropped(variable(1), new Change(Operation.SET, "r1", Value.of("x".repeat(40_000))));
    assertThat(repairs.isEmpty()).isFalse();
  }

  @Test
  void repairs_newerValueDoesNotFit_theOlderIsNotBroughtBack() {
    repairs.dropped(variable(1), new Change(Operation.SET, "r1", Value.of("old")));
    repairs.dropped(variable(1), new Change(Operation.SET, "r1", Value.of("x".repeat(60_000))));
    assertThat(repairs.isEmpty()).isTrue();
    assertThat(counters.unrepaired.sum()).isEqualTo(1);
  }

  /** A service that logs long lines while the server's connection, and so the drainer, hangs. */
  public static final class Service {
    private static final int LINES = 100_000;

    private static final class Hanging implements EventSink {
      @Override
      public void accept(EventBlock block) {
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }

      @Override
      public boolean flush(Duration timeout) {
        return false;
      }

      @Override
      public void close() {}
    }

    /** Fails if the heap is too small. */
    public static void main(String[] args) {
      Recorder recorder = Recorder.builder().node("zk1").sink(new Hanging()).build();
      EventLog log = recorder.log("setd");
      for (int i = 0; i < LINES; i++) {
        log.line("x".repeat(8_000) + i).record();
        log.set("role", "y".repeat(8_000) + i);
        recorder.send("zk2", "z".repeat(8_000) + i);
        log.set("v" + i, "z".repeat(8_000) + i);
      }
      long dropped = recorder.statistics().dropped();
      System.exit(dropped > LINES && dropped < 4 * LINES ? 0 : 2);
    }
  }

  @Test
  void service_smallHeapAndHangingSink_isNotHarmed(@TempDir Path directory) throws Exception {
    Path output = directory.resolve("out");
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx48m",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                Service.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(Files.readString(output)).isEmpty();
    assertThat(process.exitValue()).isZero();
  }
}
