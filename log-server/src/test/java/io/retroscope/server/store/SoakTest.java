package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.live.MonotonicClock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A measurement with 100 nodes, each of which sends a block of 20 events every 5 s of simulated
 * time. Prints the heap after a collection, the time to open the store and the 99th percentile of
 * ingest.
 *
 * <p>A minute by default. A simulated day, which continues an earlier run in the same folder:
 *
 * <pre>mvn test -pl log-server -am -Dtest=SoakTest -Dsurefire.failIfNoSpecifiedTests=false
 *     -Dretroscope.rounds=17280 -Dretroscope.folder=/tmp/soak</pre>
 */
@Timeout(value = 12, unit = TimeUnit.HOURS)
class SoakTest {
  private static final int NODES = 100;
  private static final int BLOCK_EVENTS = 20;
  private static final long ROUND_MICROS = 5_000_000;
  private static final String PLACE = "soak";

  /** The number of rounds between two reports: one hour. */
  private static final int REPORT_ROUNDS = 720;

  private final int rounds = Integer.getInteger("retroscope.rounds", 12);
  private final MonotonicClock clock = MonotonicClock.system();
  private long micros = StoreFixture.NOW_MICROS;

  @TempDir Path temporary;

  @Test
  void manyNodes_aDayOfBlocks_printsWhatItCosts() {
    Path directory =
        Optional.ofNullable(System.getProperty("retroscope.folder"))
            .map(Path::of)
            .orElse(temporary);
    int done;
    long before = clock.nanos();
    try (EventStore store = open(directory)) {
      done = roundsIn(store);
      report(done, clock.nanos() - before, new long[0]);
      List<Long> nanos = new ArrayList<>();
      for (int round = done; round < rounds; round++) {
        send(store, round, nanos);
        if ((round + 1) % REPORT_ROUNDS == 0 || round + 1 == rounds) {
          report(round + 1, 0, nanos.stream().mapToLong(Long::longValue).toArray());
          nanos.clear();
        }
      }
    }
    before = clock.nanos();
    try (EventStore store = open(directory);
        EventSource.View view = store.open(ClockOffsets.UNKNOWN)) {
      report(rounds, clock.nanos() - before, new long[0]);
      int whole = Math.max(done, rounds);
      assertThat(roundsIn(store)).isEqualTo(whole);
      assertThat(store.figures().blockCount()).isEqualTo((long) NODES * whole);
      assertThat(view.logs())
          .singleElement()
          .satisfies(
              log -> assertThat(log.eventCount()).isEqualTo((long) NODES * whole * BLOCK_EVENTS));
    }
  }

  private EventStore open(Path directory) {
    return EventStore.open(directory, StoreOptions.DEFAULT, () -> micros);
  }

  private static int roundsIn(EventStore store) {
    SourcePosition position = store.positions().get(PLACE);
    return position == null ? 0 : (int) position.next();
  }

  private void send(EventStore store, int round, List<Long> nanos) {
    micros = StoreFixture.NOW_MICROS + round * ROUND_MICROS;
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      // The last one marks the round as complete.
      List<SourcePosition> place =
          node == NODES - 1 ? List.of(new SourcePosition(PLACE, round + 1L, 0)) : List.of();
      Submission block =
          new Submission.Frames(List.of(StoreFixture.frame(block("n" + node, round))), place);
      long begun = clock.nanos();
      answers.add(
          store
              .append(block)
              .thenAccept(
                  receipt -> {
                    synchronized (nanos) {
                      nanos.add(clock.nanos() - begun);
                    }
                  }));
    }
    CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).join();
  }

  private EventBlock block(String node, int round) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("i", round + 1L);
    long hlc = 0;
    for (int i = 0; i < BLOCK_EVENTS; i++) {
      hlc = HlcTimestamp.pack(micros - ROUND_MICROS + i * ROUND_MICROS / BLOCK_EVENTS);
      builder.add(StoreFixture.set(node, "soak", hlc, "x" + i % 3, round + i));
    }
    return builder.promise(hlc, 0, ROUND_MICROS).build();
  }

  private static void report(int round, long openNanos, long[] nanos) {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "%d blocks: heap %.1f MiB%s%s%n",
        round * NODES,
        (runtime.totalMemory() - runtime.freeMemory()) / 1048576.0,
        openNanos > 0 ? ", opened in %.2f s".formatted(openNanos / 1e9) : "",
        nanos.length > 0
            ? ", ingest p99 %.1f ms".formatted(nanos[nanos.length * 99 / 100] / 1e6)
            : "");
  }
}
