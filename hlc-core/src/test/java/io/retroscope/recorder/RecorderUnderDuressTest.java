// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.MemorySink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Full rings, stalled writers, failing sinks, and arbitrary arguments of a service. */
class RecorderUnderDuressTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Gate gate = new Gate();
  private final Recorder recorder =
      Recorder.builder().node("zk1").sink(gate).ringCapacity(8).maxTextLength(100).build();
  private final EventLog log = recorder.log("setd");

  /** A sink that can be blocked, so that the ring fills up. */
  private static final class Gate implements EventSink {
    final MemorySink memory = new MemorySink();
    final Semaphore open = new Semaphore(1);
    volatile boolean failing;

    @Override
    public void accept(EventBlock block) {
      open.acquireUninterruptibly();
      open.release();
      if (failing) {
        throw new IllegalStateException("no room");
      }
      memory.accept(block);
    }

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public void close() {}
  }

  @AfterEach
  void close() {
    recorder.close();
  }

  private List<Event> recorded() {
    assertThat(recorder.flush(PATIENCE)).isTrue();
    List<Event> events = new ArrayList<>(gate.memory.events());
    events.sort(Comparator.comparingLong(Event::hlc));
    return events;
  }

  /** Blocks the sink and waits until the drainer is blocked in it. */
  private void shut() {
    gate.open.acquireUninterruptibly();
    await().atMost(PATIENCE).until(() -> gate.open.hasQueuedThreads());
  }

  @Test
  void set_ringFull_dropsShowAsGapsAndTheLastValueIsRepaired() {
    log.set("r1", -1);
    shut();
    for (int i = 0; i < 100; i++) {
      log.set("r1", i);
    }
    gate.open.release();
    await().atMost(PATIENCE).until(() -> recorder.statistics().repaired() > 0);
    List<Event> events = recorded();
    Event last = events.get(events.size() - 1);
    assertThat(last.marks()).containsExactly(EventMark.REPAIR);
    assertThat(last.body())
        .isEqualTo(
            new EventBody.StateChange(
                List.of(new Change(EventBody.Operation.SET, "r1", Value.of(99)))));
    log.set("r1", 100);
    List<Event> all = recorded();
    long dropped = recorder.statistics().dropped();
    assertThat(dropped).isBetween(80L, 92L);
    assertThat(all.get(all.size() - 1).sequence()).isEqualTo(1 + 1 + 100 + 1);
    Set<Long> numbers = new HashSet<>();
    all.stream().filter(event -> event.sequence() > 0).forEach(e -> numbers.add(e.sequence()));
    assertThat(103 - numbers.size()).isEqualTo(dropped);
  }

  @Test
  void lastSequence_dropsBehindTheLastEvent_showInTheHeartbeat() {
    shut();
    for (int i = 0; i < 100; i++) {
      log.line("a line is not repaired").record();
    }
    gate.open.release();
    recorded();
    List<EventBlock> blocks = gate.memory.blocks();
    assertThat(blocks.get(blocks.size() - 1).lastSequence()).isEqualTo(101);
  }

  /**
   * Threads with their own variables, including sets, and a sink that is blocked from time to time.
   */
  @Test
  void changes_droppedAtRandom_theFinalStateIsRight() throws InterruptedException {
    long seed = Long.getLong("seed", System.nanoTime());
    Map<String, Value> expected = new TreeMap<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      String variable = "v" + t;
      Random random = new Random(seed + t);
      Set<Value> members = new TreeSet<>();
      threads.add(
          new Thread(
              () -> {
                for (int i = 0; i < 20_000; i++) {
                  changeAtRandom(random, variable, members);
                }
                synchronized (expected) {
                  expected.put(variable, new Value.SetValue(members));
                }
              }));
    }
    threads.forEach(Thread::start);
    for (int i = 0; i < 20; i++) {
      gate.open.acquireUninterruptibly();
      Thread.sleep(2);
      gate.open.release();
      Thread.sleep(2);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    recorder.close();
    assertThat(recorder.statistics().dropped()).isPositive();
    assertThat(finalState()).as("-Dseed=%d", seed).isEqualTo(expected);
  }

  private void changeAtRandom(Random random, String variable, Set<Value> members) {
    Value element = Value.of(random.nextInt(20));
    switch (random.nextInt(8)) {
      case 0 -> {
        members.clear();
        members.add(element);
        log.set(variable, Value.setOf(element));
      }
      case 1, 2, 3 -> {
        members.remove(element);
        log.remove(variable, element);
      }
      case 4 -> {
        members.add(element);
        log.event().add(variable, element).record();
      }
      default -> {
        members.add(element);
        log.add(variable, element);
      }
    }
  }

  /** The result of the recorded changes, in the order of their stamps, before the stop. */
  private Map<String, Value> finalState() {
    List<Event> events = new ArrayList<>(gate.memory.events());
    events.sort(Comparator.comparingLong(Event::hlc));
    Map<String, Set<Value>> state = new TreeMap<>();
    for (Event event : events) {
      if (event.body() instanceof EventBody.StateChange changes) {
        changes.changes().forEach(change -> apply(change, state));
      }
    }
    Map<String, Value> values = new TreeMap<>();
    state.forEach((variable, members) -> values.put(variable, new Value.SetValue(members)));
    return values;
  }

  private static void apply(Change change, Map<String, Set<Value>> state) {
    Set<Value> members = state.computeIfAbsent(change.variable(), v -> new TreeSet<>());
    var elements = ((Value.SetValue) change.value()).elements();
    switch (change.operation()) {
      case SET -> {
        members.clear();
        members.addAll(elements);
      }
      case ADD -> members.addAll(elements);
      case REMOVE -> members.removeAll(elements);
      case UNSET -> members.clear();
    }
  }

  @Test
  void sink_throws_eventsAreCountedReportedByAFlushAndRecordingContinues() {
    recorded();
    gate.failing = true;
    log.set("r1", 1);
    await().atMost(PATIENCE).until(() -> recorder.statistics().lostBySink() == 1);
    gate.failing = false;
    assertThat(recorder.flush(PATIENCE)).as("something was lost").isFalse();
    log.set("r1", 2);
    List<Event> events = recorded();
    assertThat(events.get(events.size() - 1).sequence()).isEqualTo(3);
  }

  @Test
  void close_sinkThrows_theNextRunCanBeginAndIsToldOfTheLoss(@TempDir Path directory) {
    EventSink broken =
        new EventSink() {
          @Override
          public void accept(EventBlock block) {}

          @Override
          public boolean flush(Duration timeout) {
            return true;
          }

          @Override
          public void close() {
            throw new IllegalStateException("broken");
          }
        };
    Recorder.builder().node("zk1").sink(broken).stateDirectory(directory).build().close();
    MemorySink next = new MemorySink();
    Recorder.builder().node("zk1").sink(next).stateDirectory(directory).build().close();
    assertThat(((EventBody.Start) next.events().get(0).body()).spill())
        .isEqualTo(EventBody.Spill.LOST);
  }

  @Test
  void values_hostile_neitherThrowNorStall() throws InterruptedException {
    Object throwing =
        new Object() {
          @Override
          public String toString() {
            throw new AssertionError("toString");
          }
        };
    // Contains itself three times at every level.
    List<Object> endless =
        new AbstractList<>() {
          @Override
          public Object get(int index) {
            return this;
          }

          @Override
          public int size() {
            return 3;
          }
        };
    Map<String, Value> holed = new HashMap<>();
    holed.put("a", null);
    CountDownLatch done = new CountDownLatch(1);
    new Thread(
            () -> {
              log.line(null).with("o", throwing).with(null, 1).with("x", (Object) null).record();
              log.line("x".repeat(1_000_000)).with("self", List.of(List.of(throwing))).record();
              log.line("endless")
                  .with("list", endless)
                  .with("array", new Object[] {endless})
                  .record();
              log.set("v", new Value.StringValue(null));
              log.set("v", new Value.StructValue(holed));
              log.event().set("v", new Value.StructValue(holed)).record();
              log.set(null, 1);
              log.set("", 1);
              log.set("n".repeat(2_000), 1);
              log.set("v", (Value) null);
              log.add("v", (Value[]) null);
              log.add("v", (Value) null);
              log.add("v", (String) null);
              log.set("v", new Value.TimestampValue(1));
              log.event().record();
              log.event().set(null, 1).record();
              log.event().add("v", (Value) null).record();
              recorder.log(null).set("v", 1);
              recorder.log("").line("x").record();
              recorder.send(null, null);
              recorder.receive(null, null, HlcTimestamp.MAX_PACKED);
              done.countDown();
            })
        .start();
    assertThat(done.await(60, java.util.concurrent.TimeUnit.SECONDS)).isTrue();
    log.set("v", 5);
    List<Event> events = recorded();
    assertThat(events.get(events.size() - 1).body())
        .isEqualTo(
            new EventBody.StateChange(
                List.of(new Change(EventBody.Operation.SET, "v", Value.of(5)))));
    assertThat(events)
        .filteredOn(event -> event.body() instanceof EventBody.LogLine)
        .extracting(event -> ((EventBody.LogLine) event.body()).message())
        .containsExactly("", "x".repeat(100), "endless");
    assertThat(recorder.statistics().refused()).isGreaterThanOrEqualTo(11);
    assertThat(recorder.statistics().truncated()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void receive_stampTooFarAhead_isMarkedAndMovesNothing() {
    long remote = recorder.tick() + (3_600_000_000L << HlcTimestamp.LOGICAL_BITS);
    long received = recorder.receive("zk2", "m1", remote);
    assertThat(received).isLessThan(remote);
    List<Event> events = recorded();
    assertThat(events.get(events.size() - 1).marks()).containsExactly(EventMark.UNORDERED);
  }
}
