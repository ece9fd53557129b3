// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.store.StoreOptions.SealLimits;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that stores, seals and removes blocks at the same time: everything acknowledged
 * above the begin of history must be stored exactly once. The full number of kills: {@code mvn test
 * -Pslow -pl log-server -am -Dtest=SealingKillTest -Dsurefire.failIfNoSpecifiedTests=false};
 * another number with {@code -Dretroscope.rounds=N}, another seed with {@code -Dretroscope.seed=N}.
 */
@Timeout(7_200)
class SealingKillTest {
  private static final long BASE = 1_795_200_000_000_000L;
  private static final int EVENTS = 5;
  private static final int NODES = 3;
  private static final int KEPT_BLOCKS = 300;
  private static final int RESENT_BLOCKS = 40;

  @TempDir Path directory;

  @Test
  void kill_duringSealingAndRetention_losesAndDoublesNothing() throws Exception {
    killAndCompare(2);
  }

  @Test
  @Tag("slow")
  void killOften_duringSealingAndRetention_losesAndDoublesNothing() throws Exception {
    killAndCompare(Integer.getInteger("retroscope.rounds", 200));
  }

  private void killAndCompare(int rounds) throws Exception {
    long seed = Long.getLong("retroscope.seed", 20261122);
    Random random = new Random(seed);
    Progress progress = new Progress();
    long sealed = 0;
    for (int round = 0; round < rounds; round++) {
      Process child = start(progress.acknowledged);
      try (BufferedReader out =
          new BufferedReader(
              new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
        int lines = 100 + random.nextInt(rounds > 2 ? 1_200 : 600);
        for (int i = 0; i < lines; i++) {
          progress.read(out.readLine(), seed);
        }
        // Each line follows a commit, and the kill must come at other moments too.
        TimeUnit.MICROSECONDS.sleep(random.nextInt(20_000));
        // The process itself, because Process would also discard what can still be read.
        assertThat(child.toHandle().destroyForcibly()).isTrue();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          progress.read(line, seed);
        }
      } finally {
        child.destroyForcibly().waitFor();
      }
      sealed += compare(progress, seed, round);
    }
    assertThat(sealed).isGreaterThan(rounds);
    System.out.println(
        "kills: %d rounds from seed %d, %d blocks acknowledged, 0 events lost, 0 doubled"
            .formatted(rounds, seed, progress.acknowledged));
  }

  private Process start(long acknowledged) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            directory.toString(),
            String.valueOf(acknowledged))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** What the killed processes have promised. */
  private static final class Progress {
    private long acknowledged;
    private long begin;

    void read(@Nullable String line, long seed) {
      if (line == null) {
        throw new AssertionError("seed " + seed + ": the child ended");
      }
      if (line.startsWith("stored ")) {
        acknowledged = Math.max(acknowledged, Long.parseLong(line.substring(7)));
      } else if (line.startsWith("retain ")) {
        begin = Math.max(begin, Long.parseLong(line.substring(7)));
      } else {
        // A line may be cut off by the kill.
        assertThat("stored retain ").as("seed %d: %s", seed, line).contains(line);
      }
    }
  }

  /** Returns the number of sealed blocks. */
  private long compare(Progress progress, long seed, int round) {
    Map<String, Integer> counts = new TreeMap<>();
    try (EventStore store = Main.open(directory);
        View view = store.open(ClockOffsets.UNKNOWN)) {
      view.scan(Set.of("l"), HlcRange.ALL)
          .forEachRemaining(event -> counts.merge(event.node() + event.hlc(), 1, Integer::sum));
      assertThat(counts.values()).as("seed %d, round %d: doubled", seed, round).containsOnly(1);
      for (long number = Math.max(1, progress.begin + 1);
          number <= progress.acknowledged;
          number++) {
        for (Event event : Main.events(number)) {
          assertThat(counts)
              .as("seed %d, round %d, block %d of %d", seed, round, number, progress.acknowledged)
              .containsKey(event.node() + event.hlc());
        }
      }
      assertThat(store.damage()).isEmpty();
      assertThat(StoreMaintenance.verify(directory).problems()).isEmpty();
      compareTimeline(store, counts.size());
      return store.figures().sealedBlockCount();
    }
  }

  /** Each sealed block has a summary for timelines, and no other block has. */
  private static void compareTimeline(EventStore store, long events) {
    try (TimelineBlocks blocks = store.openTimeline(ClockOffsets.UNKNOWN)) {
      TileAddress all = new TileAddress(TimelineBins.MAX_LEVEL, 0);
      Tile tile = new TileMaker(blocks, all, TileMaker.Limits.DEFAULT).make(Set.of(), Set.of());
      EventStore.Figures figures = store.figures();
      assertThat(tile.blocksRead())
          .isEqualTo((int) (figures.blockCount() - figures.sealedBlockCount()));
      assertThat(TimelineTest.events(tile)).isEqualTo(events);
    }
  }

  /** The program that is killed. Block after block, it prints the acknowledged blocks. */
  static final class Main {
    private Main() {}

    /** Takes the data directory, and the number of blocks that are stored already. */
    public static void main(String[] args) throws Exception {
      PrintStream out = System.out;
      System.setOut(System.err);
      EventStore store = open(Path.of(args[0]));
      long stored = Long.parseLong(args[1]);
      AtomicLong last = new AtomicLong(stored);
      for (long number = Math.max(1, stored - RESENT_BLOCKS); number <= stored; number++) {
        Receipt receipt = append(store, number);
        if (receipt.accepted() != 0) {
          out.println("block " + number + " was not recognised: " + receipt);
        }
      }
      new Thread(() -> sealForEver(store)).start();
      new Thread(() -> retainForEver(store, last, out)).start();
      for (long number = stored + 1; ; number++) {
        Receipt unused = append(store, number);
        last.set(number);
        out.println("stored " + number);
      }
    }

    private static void sealForEver(EventStore store) {
      while (true) {
        int unused = store.seal(Long.MAX_VALUE);
      }
    }

    private static void retainForEver(EventStore store, AtomicLong last, PrintStream out) {
      while (true) {
        long begin = last.get() - KEPT_BLOCKS;
        if (begin > 0) {
          out.println("retain " + begin);
          int unused =
              store.retain(
                  blocks -> {
                    int count = 0;
                    while (count < blocks.count() && blocks.lastHlc(count) < stamp(begin + 1)) {
                      count++;
                    }
                    return count;
                  });
        }
      }
    }

    static EventStore open(Path directory) {
      return EventStore.open(
          directory,
          StoreOptions.DEFAULT.sealingBy(new SealLimits(20, 40, 10)),
          () -> 1_900_000_000_000_000L);
    }

    private static Receipt append(EventStore store, long number) {
      return store
          .append(frames(block("i" + number % NODES, 1 + number / NODES, 1, events(number))))
          .join();
    }

    private static long stamp(long number) {
      return hlc(BASE + 1_000 * number);
    }

    static List<Event> events(long number) {
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < EVENTS; i++) {
        // A block reaches into the next one, of another node, so that sealing splits some.
        events.add(set("n" + number % NODES, "l", stamp(number) + i * (300L << 12), "x", number));
      }
      return events;
    }
  }
}
