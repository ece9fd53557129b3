// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.MemorySink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorders of processes that continue from a copy of their memory. */
class RestartedRecorderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;

  private final MemorySink sink = new MemorySink();
  private final Recorder recorder =
      Recorder.builder().node("zk1").sink(sink).ringCapacity(1 << 12).build();
  private final EventLog log = recorder.log("setd");

  @AfterEach
  void close() {
    recorder.close();
  }

  @Test
  void restarted_afterwards_isAnIncarnationOfItsOwn() {
    String first = recorder.incarnation();
    log.set("r1", 1);
    log.set("r2", "two");
    recorder.restarted();
    String second = recorder.incarnation();
    log.set("r2", "three");
    log.set("r1", 4);
    assertThat(recorder.flush(PATIENCE)).isTrue();

    assertThat(second).isNotEqualTo(first);
    Map<String, List<Event>> events = byIncarnation();
    assertThat(events.keySet()).containsExactly(first, second);
    List<Event> before = events.getOrDefault(first, List.of());
    List<Event> after = events.getOrDefault(second, List.of());
    assertThat(before.get(before.size() - 1).body()).isEqualTo(new EventBody.Stop());
    EventBody.Start start = (EventBody.Start) after.get(0).body();
    assertThat(start.incarnation()).isEqualTo(second);
    assertThat(start.predecessor()).isEqualTo(first);
    assertThat(start.spill()).isEqualTo(Spill.COMPLETE);
    assertThat(after.get(0).hlc()).isGreaterThan(before.get(before.size() - 1).hlc());
    assertThat(after.stream().map(Event::sequence)).containsExactly(1L, 2L, 3L);
    assertThat(after.subList(1, 3).toString()).contains("r2", "three", "r1");
    assertThat(((EventBody.StateChange) after.get(1).body()).changes().get(0).variable())
        .isEqualTo("r2");
  }

  @Test
  void restarted_blocks_areNumberedFromOneInEachIncarnation() {
    recorder.restarted();
    recorder.close();
    Map<String, TreeSet<Long>> numbers = new LinkedHashMap<>();
    for (EventBlock block : sink.blocks()) {
      if (!block.isEmpty()) {
        numbers.computeIfAbsent(block.incarnation(), any -> new TreeSet<>()).add(block.number());
      }
    }
    assertThat(numbers).hasSize(2);
    assertThat(numbers.values()).allSatisfy(all -> assertThat(all.first()).isEqualTo(1));
  }

  @Test
  void restarted_caveats_holdAgain() {
    recorder.caveat("the link to followers is not traced");
    recorder.restarted();
    assertThat(recorder.flush(PATIENCE)).isTrue();
    assertThat(byIncarnation().getOrDefault(recorder.incarnation(), List.of()).toString())
        .contains("the link to followers is not traced");
  }

  @Test
  void suspended_eventsUntilRestarted_areAGapOfTheNewIncarnationAndRepaired() {
    recorder.suspend();
    log.set("r1", 7);
    log.line("nobody hears").record();
    recorder.restarted();
    log.line("after").record();
    recorder.close();
    List<Event> after = byIncarnation().getOrDefault(recorder.incarnation(), List.of());
    List<Long> sequences =
        after.stream().map(Event::sequence).filter(at -> at != Event.NO_SEQUENCE).sorted().toList();
    assertThat(sequences).doesNotContain(2L).contains(1L, 3L);
    assertThat(after.toString()).contains("r1").doesNotContain("nobody hears");
    assertThat(recorder.statistics().dropped()).isEqualTo(2);
  }

  @Test
  void restarted_manyTimesUnderLoad_losesNothingUnseen() throws Exception {
    Thread writer =
        new Thread(
            () -> {
              for (long i = 1; i <= 20_000; i++) {
                log.set("r1", i);
              }
            });
    writer.start();
    for (int i = 0; i < 20; i++) {
      recorder.restarted();
    }
    writer.join();
    recorder.close();
    long changes = 0;
    for (Event event : sink.events()) {
      if (event.body() instanceof EventBody.StateChange && event.marks().isEmpty()) {
        changes++;
      }
    }
    assertThat(changes + recorder.statistics().dropped()).isEqualTo(20_000);
    assertThat(byIncarnation()).hasSize(21);
  }

  /** A sink that is slow at first, and counts the concurrent calls. */
  private static final class Narrow implements EventSink {
    final CountDownLatch open = new CountDownLatch(1);
    final AtomicInteger inside = new AtomicInteger();
    final AtomicInteger most = new AtomicInteger();
    final MemorySink memory = new MemorySink();

    @Override
    public void accept(EventBlock block) {
      most.accumulateAndGet(inside.incrementAndGet(), Math::max);
      try {
        open.await();
        memory.accept(block);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        inside.decrementAndGet();
      }
    }

    @Override
    public boolean flush(Duration timeout) {
      return true;
    }

    @Override
    public void close() {}
  }

  @Test
  void restarted_sinkStillBusyWithTheRunBefore_isNeverCalledByTwoThreads() {
    Narrow narrow = new Narrow();
    try (Recorder slow =
        Recorder.builder().node("zk3").sink(narrow).closeTimeout(Duration.ofMillis(50)).build()) {
      slow.restarted();
      slow.log("setd").set("r1", 1);
      assertThat(slow.flush(Duration.ofMillis(300))).isFalse();
      narrow.open.countDown();
      assertThat(slow.flush(PATIENCE)).isTrue();
      assertThat(narrow.most).hasValue(1);
      assertThat(narrow.memory.events()).hasSize(4);
    }
  }

  @Test
  void restarted_withState_isWhatTheNextRunFollows() throws Exception {
    MemorySink own = new MemorySink();
    Recorder kept = Recorder.builder().node("zk2").sink(own).stateDirectory(directory).build();
    kept.restarted();
    assertThat(Files.readString(directory.resolve("run"))).contains(kept.incarnation());
    kept.close();
    try (Recorder next =
        Recorder.builder().node("zk2").sink(own).stateDirectory(directory).build()) {
      assertThat(next.flush(PATIENCE)).isTrue();
      List<Event> events = own.events();
      EventBody.Start start = (EventBody.Start) events.get(events.size() - 1).body();
      assertThat(start.predecessor()).isEqualTo(kept.incarnation());
      assertThat(start.spill()).isEqualTo(Spill.COMPLETE);
    }
  }

  @Test
  void restarted_afterClose_doesNothing() {
    recorder.close();
    int before = sink.blocks().size();
    recorder.restarted();
    recorder.suspend();
    assertThat(sink.blocks()).hasSize(before);
    assertThat(recorder.health()).hasToString("not recording: the recorder is closed");
  }

  private Map<String, List<Event>> byIncarnation() {
    Map<String, List<Event>> events = new LinkedHashMap<>();
    for (EventBlock block : sink.blocks()) {
      if (!block.isEmpty()) {
        events
            .computeIfAbsent(block.incarnation(), any -> new ArrayList<>())
            .addAll(block.events());
      }
    }
    return events;
  }
}
