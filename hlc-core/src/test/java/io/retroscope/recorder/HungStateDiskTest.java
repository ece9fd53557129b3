// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.ManualClock;
import io.retroscope.clock.MemoryBound;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventMark;
import io.retroscope.sink.MemorySink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that hangs while the clock's bound is stored. */
class HungStateDiskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long SECOND = 1_000_000;

  @TempDir private Path directory;
  private final MemorySink sink = new MemorySink();
  private final MemoryBound bound = new MemoryBound();
  private final Semaphore disk = new Semaphore(1);
  private final AtomicBoolean stop = new AtomicBoolean();
  private final List<Thread> writers = new ArrayList<>();
  private final List<Recorder> running = new ArrayList<>();

  @AfterEach
  void close() throws InterruptedException {
    stop.set(true);
    disk.release(1_000);
    for (Thread writer : writers) {
      writer.join();
    }
    running.forEach(Recorder::close);
  }

  private RecorderBuilder builder() {
    bound.whileStoring(
        () -> {
          disk.acquireUninterruptibly();
          disk.release();
        });
    return Recorder.builder().node("zk1").sink(sink).stateDirectory(directory).bounds(f -> bound);
  }

  private Recorder start(RecorderBuilder builder) {
    Recorder recorder = builder.build();
    running.add(recorder);
    return recorder;
  }

  private void hang() {
    disk.acquireUninterruptibly();
    await().atMost(PATIENCE).until(disk::hasQueuedThreads);
  }

  private void write(Recorder recorder) {
    EventLog log = recorder.log("setd");
    for (int i = 0; i < 2; i++) {
      Thread writer =
          new Thread(
              () -> {
                for (long value = 0; !stop.get(); value++) {
                  log.set("r1", value);
                  LockSupport.parkNanos(200_000);
                }
              });
      writers.add(writer);
      writer.start();
    }
  }

  private boolean isLastMarked() {
    List<Event> events = sink.events();
    return !events.isEmpty() && events.get(events.size() - 1).marks().contains(EventMark.UNBOUND);
  }

  private long promised() {
    return sink.blocks().stream().mapToLong(EventBlock::heartbeat).max().orElseThrow();
  }

  @Test
  void load_diskHangs_nothingIsDroppedAndEventsAreMarked() {
    underLoad(Duration.ofMillis(800));
  }

  @Test
  @Tag("slow")
  void load_diskHangsFor30Seconds_nothingIsDroppedAndEventsAreMarked() {
    underLoad(Duration.ofSeconds(30));
  }

  private void underLoad(Duration hang) {
    Recorder recorder = start(builder());
    write(recorder);
    await().atMost(PATIENCE).until(() -> sink.events().size() > 100 && !isLastMarked());
    hang();
    await().pollDelay(hang).atMost(PATIENCE).until(this::isLastMarked);
    long now = recorder.tick();
    await().atMost(PATIENCE).until(() -> promised() > now);
    RecorderStatistics statistics = recorder.statistics();
    assertThat(statistics.boundAtRisk()).isTrue();
    assertThat(recorder.health().toString()).contains("restart bound is not stored in time");
    assertThat(statistics.dropped() + statistics.abandoned()).isZero();
    long hungAt = bound.inForce();
    disk.release();
    await().atMost(PATIENCE).until(() -> !isLastMarked());
    assertThat(recorder.statistics().dropped()).isZero();
    await().atMost(PATIENCE).until(() -> !recorder.statistics().boundAtRisk());
    assertThat(sink.events())
        .filteredOn(event -> event.hlc() > hungAt && event.hlc() < now)
        .isNotEmpty()
        .allMatch(event -> event.marks().contains(EventMark.UNBOUND));
  }

  /** The lead is not used up yet: nothing is at risk. */
  @Test
  void seal_stampsWithinTheLead_areNotMarked() {
    ManualClock physical = new ManualClock(1_795_200_000 * SECOND);
    Recorder recorder = start(builder().physicalClock(physical));
    await().atMost(PATIENCE).until(() -> recorder.clock().isBound(recorder.tick()));
    disk.acquireUninterruptibly();
    physical.advance(SECOND / 5);
    recorder.log("setd").set("r1", 1);
    assertThat(recorder.flush(PATIENCE)).isTrue();
    assertThat(isLastMarked()).isFalse();
    physical.advance(SECOND / 5);
    recorder.log("setd").set("r1", 2);
    assertThat(recorder.flush(PATIENCE)).isTrue();
    assertThat(isLastMarked()).isTrue();
  }

  /** A message from a clock that is ahead: its receive needs no mark if the disk responds. */
  @Test
  void seal_boundIsBeingStored_waitsForItButNotForEver() {
    AtomicLong nanos = new AtomicLong();
    ManualClock physical = new ManualClock(1_795_200_000 * SECOND);
    Recorder recorder = start(builder().physicalClock(physical).nanos(nanos::get));
    assertThat(recorder.flush(PATIENCE)).isTrue();
    await().atMost(PATIENCE).until(() -> recorder.clock().isBound(recorder.tick()));
    for (boolean answers : new boolean[] {true, false}) {
      disk.acquireUninterruptibly();
      long ahead = recorder.tick() + ((10 * SECOND) << HlcTimestamp.LOGICAL_BITS);
      long received = recorder.receive("zk2", ahead);
      await().atMost(PATIENCE).until(disk::hasQueuedThreads);
      nanos.addAndGet(Duration.ofSeconds(1).toNanos());
      LockSupport.parkNanos(50_000_000);
      assertThat(sink.events()).noneMatch(event -> event.hlc() == received);
      if (answers) {
        disk.release();
      } else {
        nanos.addAndGet(Drainer.BOUND_PATIENCE_NANOS);
      }
      await()
          .atMost(PATIENCE)
          .until(() -> sink.events().stream().anyMatch(event -> event.hlc() == received));
      assertThat(isLastMarked()).isEqualTo(!answers);
    }
  }

  @Test
  void store_fails_isCountedAndReported() {
    Recorder recorder = start(builder());
    bound.breakIt(true);
    await().atMost(PATIENCE).until(() -> recorder.statistics().boundFailures() > 1);
    recorder.log("setd").set("r1", 1);
    await().atMost(PATIENCE).until(() -> recorder.statistics().boundAtRisk());
    bound.breakIt(false);
    await().atMost(PATIENCE).until(() -> !recorder.statistics().boundAtRisk());
  }

  /** The directory remains locked, because the hung write may still complete. */
  @Test
  void close_diskHangs_endsInTimeAndKeepsTheDirectoryLocked() {
    Recorder recorder = start(builder().closeTimeout(Duration.ofMillis(200)));
    recorder.log("setd").set("r1", 1);
    hang();
    recorder.close();
    MemorySink next = new MemorySink();
    Recorder second = start(builder().sink(next));
    assertThat(second.flush(PATIENCE)).isTrue();
    assertThat(next.events())
        .anyMatch(event -> event.body().toString().contains("another recorder"));
  }
}
