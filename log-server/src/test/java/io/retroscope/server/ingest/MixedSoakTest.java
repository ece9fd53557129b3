// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.json.NdjsonReader;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Retention;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.run.Incarnation;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store for days of mixed traffic, read as a server reads it: of 100 nodes, 40 send blocks with
 * heartbeats, 30 lines of JSON and 30 log records of OpenTelemetry, both without heartbeats, an
 * event every half a second. Every hour ten nodes are replaced by others, without a stop. Blocks
 * are sealed, and removed after a day. Prints the heap after a collection and the time to open the
 * store, by day.
 *
 * <p>Two hours by default, and a day of two hours in the slow profile. Seven days in a heap of 128
 * MiB, in pieces of {@code retroscope.seconds} that continue each other in one folder:
 *
 * <pre>mvn test -pl log-server -am -Pslow -Dtest=MixedSoakTest
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dtest.jvm.args=-Xmx128m
 *     -Dretroscope.days=7 -Dretroscope.folder=/tmp/soak</pre>
 */
@Timeout(value = 24, unit = TimeUnit.HOURS)
class MixedSoakTest {
  private static final int NODES = 100;
  private static final int BLOCK_NODES = 40;
  private static final int LINE_NODES = 30;
  private static final int REPLACED_PER_HOUR = 10;
  private static final int BLOCK_EVENTS = 20;
  private static final int LINES = 10;
  private static final long ROUND_MICROS = 5_000_000;
  private static final int ROUNDS_PER_HOUR = 720;
  private static final int ROUNDS_PER_MINUTE = 12;
  private static final long START_MICROS = 1_800_000_000_000_000L;
  private static final long SEALING_MARGIN_MICROS = 10_000_000;
  private static final String PLACE = "soak";

  private final MonotonicClock clock = MonotonicClock.system();
  private final BatchReader batches = new BatchReader(NdjsonReader.Limits.BATCH);
  private final OtlpReader otlp = new OtlpReader(64 << 20);
  private int day;
  private long micros = START_MICROS;
  private final List<Double> heaps = new ArrayList<>();

  @TempDir Path temporary;

  @Test
  void mixedTraffic_aFewMinutes_takesBoundedMemory() {
    day = 2 * ROUNDS_PER_MINUTE;
    run(temporary, 2 * day, new SealLimits(1_024, 8_192, 512));
  }

  @Test
  @Tag("slow")
  void mixedTraffic_days_takesBoundedMemory() {
    day = Integer.getInteger("retroscope.day", 24 * ROUNDS_PER_HOUR);
    String days = System.getProperty("retroscope.days");
    Path folder =
        Optional.ofNullable(System.getProperty("retroscope.folder"))
            .map(Path::of)
            .orElse(temporary);
    if (days == null) {
      day = 2 * ROUNDS_PER_HOUR;
      run(folder, 2 * day, SealLimits.DEFAULT);
    } else {
      run(folder, Integer.parseInt(days) * day, SealLimits.DEFAULT);
    }
  }

  private void run(Path folder, int rounds, SealLimits limits) {
    long end =
        clock.nanos() + TimeUnit.SECONDS.toNanos(Long.getLong("retroscope.seconds", 1L << 30));
    int round = 0;
    while (round < rounds && clock.nanos() < end) {
      Opening opening = new Opening();
      try (EventStore store = open(folder, limits)) {
        round = roundsIn(store);
        report(store, round, opening);
        round = traffic(store, round, Math.min(rounds, round - round % day + day), end);
      }
    }
    Opening opening = new Opening();
    try (EventStore store = open(folder, limits)) {
      report(store, round, opening);
      assertThat(roundsIn(store)).isEqualTo(round);
    }
  }

  /**
   * The time since the beginning of an opening; that of the processors counts on a busy machine.
   */
  private final class Opening {
    private final long nanos = clock.nanos();
    private final long cpuNanos = cpuNanos();

    double seconds() {
      return (clock.nanos() - nanos) / 1e9;
    }

    double cpuSeconds() {
      return (cpuNanos() - cpuNanos) / 1e9;
    }

    private static long cpuNanos() {
      return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
          .getProcessCpuTime();
    }
  }

  private EventStore open(Path folder, SealLimits limits) {
    return EventStore.open(folder, StoreOptions.DEFAULT.sealingBy(limits), () -> micros);
  }

  private static int roundsIn(EventStore store) {
    SourcePosition position = store.positions().get(PLACE);
    return position == null ? 0 : (int) position.next();
  }

  private int traffic(EventStore store, int from, int to, long end) {
    CompletableFuture<?> background = CompletableFuture.completedFuture(null);
    int round = from;
    for (; round < to && clock.nanos() < end; round++) {
      send(store, round);
      if ((round + 1) % ROUNDS_PER_MINUTE == 0) {
        background.join();
        long now = micros;
        int at = round;
        boolean retain = (round + 1) % Math.max(ROUNDS_PER_MINUTE, day / 24) == 0;
        background = CompletableFuture.runAsync(() -> maintain(store, now, at, retain));
      }
    }
    background.join();
    return round;
  }

  private void maintain(EventStore store, long now, int round, boolean retain) {
    long horizon = HlcTimestamp.pack(now - SEALING_MARGIN_MICROS);
    int replaced;
    do {
      replaced = store.seal(horizon);
    } while (replaced > 0);
    if (retain) {
      Duration kept = Duration.ofSeconds(day * ROUND_MICROS / 1_000_000);
      int unused = store.retain(Retention.ofAge(kept, () -> now));
      store.expire(run -> isCurrent(run, round));
    }
  }

  private static boolean isCurrent(Incarnation.Name run, int round) {
    for (int slot = 0; slot < NODES; slot++) {
      if (node(slot, round).equals(run.node())) {
        return true;
      }
    }
    return false;
  }

  /** The node in a slot, which is replaced every ten hours: each hour those of ten slots. */
  private static String node(int slot, int round) {
    int hour = round / ROUNDS_PER_HOUR;
    int generation = (hour + NODES / REPLACED_PER_HOUR - 1 - slot / REPLACED_PER_HOUR) / 10;
    // The slots are spread over the kinds of traffic.
    return "n" + slot * 37 % NODES + "-" + generation;
  }

  private void send(EventStore store, int round) {
    micros = START_MICROS + round * ROUND_MICROS;
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (int slot = 0; slot < BLOCK_NODES; slot++) {
      EventBlock block = block(node(slot, round), round);
      EncodedFrame frame = new EncodedFrame(block, EventBlockCodec.encode(block));
      List<SourcePosition> place =
          slot == 0 ? List.of(new SourcePosition(PLACE, round + 1L, 0)) : List.of();
      answers.add(store.append(new Submission.Frames(List.of(frame), place)));
    }
    try (Charge charge = store.memory().charge()) {
      answers.add(store.append(lines(round, charge)));
      for (int slot = BLOCK_NODES + LINE_NODES; slot < NODES; slot++) {
        answers.add(store.append(records(node(slot, round), round, charge)));
      }
      CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
    } catch (Exception e) {
      throw new AssertionError("round " + round, e);
    }
  }

  private static EventBlock block(String node, int round) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", round + 1L);
    long hlc = 0;
    for (int i = 0; i < BLOCK_EVENTS; i++) {
      hlc = HlcTimestamp.pack(at(round, i, BLOCK_EVENTS));
      Change change = new Change(Operation.SET, "x" + i % 3, Value.of(round + i));
      builder.add(new Event(node, "soak", hlc, new EventBody.StateChange(List.of(change))));
    }
    return builder.promise(hlc, 0, ROUND_MICROS).build();
  }

  private static long at(int round, int index, int count) {
    return START_MICROS + (round - 1L) * ROUND_MICROS + index * ROUND_MICROS / count;
  }

  private Submission lines(int round, Charge charge) throws Exception {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < LINES; i++) {
      for (int slot = BLOCK_NODES; slot < BLOCK_NODES + LINE_NODES; slot++) {
        text.append("{\"node\":\"").append(node(slot, round));
        text.append("\",\"log\":\"app\",\"hlc\":\"").append(at(round, i, LINES) + slot);
        text.append(".0\",\"set\":{\"y\":").append(round + i).append("}}\n");
      }
    }
    byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
    return batches.read(Optional.of("application/x-ndjson"), Optional.empty(), body, charge);
  }

  private Submission records(String node, int round, Charge charge) throws Exception {
    LogRecord.Builder[] records = new LogRecord.Builder[LINES];
    for (int i = 0; i < LINES; i++) {
      records[i] = OtlpRequest.log(at(round, i, LINES) * 1_000, "line " + i);
    }
    byte[] body = OtlpRequest.logs(Map.of("service.name", node), records);
    return otlp.read(OtlpSignal.LOGS, Optional.empty(), body, charge).submission(0, Set.of());
  }

  private void report(EventStore store, int round, Opening opening) {
    double seconds = opening.seconds();
    double cpuSeconds = opening.cpuSeconds();
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    double heap = (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0;
    EventStore.Figures figures = store.figures();
    int nodes;
    try (EventSource.View view = store.open(ClockOffsets.UNKNOWN)) {
      nodes = view.nodes().size();
    }
    System.out.printf(
        Locale.ROOT,
        "day %.2f: heap %.1f MiB of %d (%.1f of it blocks in the cache, index and others %.1f"
            + " charged), opened in %.2f s (%.2f s of CPU time), %d nodes, %d runs, %d blocks of"
            + " which %d sealed, %d events, %.1f MiB of files%n",
        (double) round / day,
        heap,
        runtime.maxMemory() >> 20,
        figures.cachedBytes() / 1048576.0,
        store.memory().usedBytes() / 1048576.0,
        seconds,
        cpuSeconds,
        nodes,
        store.incarnations().size(),
        figures.blockCount(),
        figures.sealedBlockCount(),
        store.totals().events(),
        figures.fileBytes() / 1048576.0);
    // Nodes of the day that is kept, those that are yet to be removed, and the present ones.
    int replaced = (day / ROUNDS_PER_HOUR + 2) * REPLACED_PER_HOUR;
    assertThat(nodes).isLessThanOrEqualTo(NODES + 2 * replaced);
    assertThat(figures.damagedBlockCount()).isZero();
    // Without what is in the cache, the heap of the second day is also that of the seventh.
    heaps.add(heap - figures.cachedBytes() / 1048576.0);
    if (round > 2 * day) {
      assertThat(heaps.get(heaps.size() - 1)).isLessThan(64);
    }
  }
}
