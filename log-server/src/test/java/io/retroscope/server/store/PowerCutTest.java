// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.FaultTraffic.Summary;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.disk.SyncedMarker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests of power failures: only the synced part of the log is certain to be on disk, with any part
 * of later writes, and {@code SYNCED} may be outdated or empty. The full number of rounds: {@code
 * mvn test -Pslow -pl log-server -am -Dtest=PowerCutTest -Dsurefire.failIfNoSpecifiedTests=false};
 * another seed with {@code -Dretroscope.seed=N}, another number with {@code -Dretroscope.rounds=N}.
 */
@Timeout(3_600)
class PowerCutTest {
  @TempDir Path directory;

  @Test
  void powerCut_keepsWhatWasAcknowledged() throws IOException {
    cutOften(10);
  }

  @Test
  @Tag("slow")
  void manyPowerCuts_keepWhatWasAcknowledged() throws IOException {
    cutOften(FaultTraffic.rounds(200));
  }

  private void cutOften(int rounds) throws IOException {
    Summary summary = Summary.NOTHING;
    long first = FaultTraffic.firstSeed();
    for (long seed = first; seed < first + rounds; seed++) {
      summary = summary.plus(new Round(seed, directory.resolve("r" + seed)).run());
    }
    assertThat(summary.acknowledged()).isGreaterThan(rounds);
    System.out.println(summary.text("power cuts", first));
  }

  /** A store that survives a few power failures. */
  private static final class Round {
    private final Path place;
    private final String what;
    private final Random random;
    private final FaultTraffic traffic;
    private final Map<String, Long> syncedLengths = new HashMap<>();
    private byte[] earlierMarker = new byte[0];
    private int syncsLeft;
    private Path live;

    Round(long seed, Path place) throws IOException {
      this.place = Files.createDirectories(place);
      this.what = "seed " + seed;
      this.random = new Random(seed);
      this.traffic = new FaultTraffic(random);
      this.live = place.resolve("life0");
    }

    Summary run() throws IOException {
      int lives = 1 + random.nextInt(3);
      for (int life = 1; life <= lives; life++) {
        syncedLengths.clear();
        syncsLeft = random.nextInt(12);
        Path after = place.resolve("life" + life);
        try (EventStore store = open(after)) {
          traffic.checkAll(what, store);
          traffic.sendAgain(store);
          while (!Files.exists(after)) {
            traffic.send(store);
          }
        }
        delete(live);
        live = after;
      }
      try (EventStore store = StoreFixture.open(live)) {
        traffic.checkAll(what, store);
        traffic.sendAgain(store);
        traffic.checkAll(what, store);
      }
      delete(place);
      return new Summary(1, traffic.acknowledgedCount(), 0, 0);
    }

    private EventStore open(Path after) {
      return EventStore.open(
          live,
          StoreOptions.DEFAULT,
          () -> StoreFixture.NOW_MICROS,
          Metrics.unread(),
          database -> sync(database, after));
    }

    /** Simulates a power failure after the log was written and before the sync completed. */
    private void sync(Database database, Path after) {
      try {
        if (Files.exists(after) || syncsLeft-- == 0) {
          if (!Files.exists(after)) {
            copyAsAfterAPowerCut(after);
          }
          throw new StoreException("the power is off");
        }
        database.sync();
        if (random.nextInt(3) == 0 && Files.exists(live.resolve(SyncedMarker.FILE))) {
          earlierMarker = Files.readAllBytes(live.resolve(SyncedMarker.FILE));
        }
        try (Stream<Path> files = Files.list(live.resolve("db"))) {
          for (Path file : (Iterable<Path>) files::iterator) {
            syncedLengths.put(file.getFileName().toString(), Files.size(file));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void copyAsAfterAPowerCut(Path after) throws IOException {
      try (Stream<Path> files = Files.walk(live)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          Path to = after.resolve(live.relativize(file).toString());
          Files.copy(file, to);
          String name = file.getFileName().toString();
          if (name.endsWith(".log")) {
            // A log that existed at the start was synced by the open.
            long synced = syncedLengths.getOrDefault(name, 0L);
            long unsynced = Math.max(0, Files.size(to) - synced);
            try (FileChannel channel = FileChannel.open(to, StandardOpenOption.WRITE)) {
              channel.truncate(synced + (unsynced == 0 ? 0 : random.nextLong(unsynced + 1)));
            }
          } else if (name.equals(SyncedMarker.FILE) && random.nextBoolean()) {
            Files.write(to, random.nextBoolean() ? earlierMarker : new byte[0]);
          }
        }
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      Iterator<Path> deepestFirst = files.sorted((a, b) -> b.compareTo(a)).iterator();
      while (deepestFirst.hasNext()) {
        Files.delete(deepestFirst.next());
      }
    }
  }
}
