// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.MarkedSync.LogSync;
import io.retroscope.server.store.disk.RocksSettings;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a full disk: a small file system in memory, which only root may mount. */
@Timeout(120)
class FullDiskTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Microseconds above those of all other events. */
  private static final long REFUSED = 1_000_000;

  /** Goes on, because a store waits before it tries again to open a database. */
  private static final PhysicalClock CLOCK =
      () -> StoreFixture.NOW_MICROS + System.nanoTime() / 1_000;

  /** Some dozens fill what RocksDB has reserved for its log before the disk is full. */
  private static final String LARGE = noise(new Random(1));

  private static final StoreOptions UNCACHED = new StoreOptions(0, MemoryBudget.ofProcess(), 0);

  @TempDir Path disk;

  @BeforeEach
  void mount() throws Exception {
    Assumptions.assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", disk.toString()),
        "mounting a small disk needs root");
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "-l", disk.toString());
  }

  @Test
  void open_fullDisk_answersAndTakesEventsOnceThereIsRoom() throws Exception {
    Path data = disk.resolve("data");
    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      store.append(lines(set("a", "l", hlc(1), "x", 1))).join();
    }
    fillUp();

    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      assertThat(stamps(store)).containsExactly(hlc(1));
      assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(2), "x", 2))).join())
          .hasMessageContaining("is full: free space there");
      assertThat(store.writeTrouble()).isPresent();
      assertThat(stamps(store)).containsExactly(hlc(1));

      appendOnceThereIsRoom(store, 2, "x");
      assertThat(stamps(store)).containsExactlyInAnyOrder(hlc(1), hlc(2));
      assertThat(store.writeTrouble()).isEmpty();
    }
  }

  @Test
  void append_diskRunsFull_keepsWhatItAcknowledgedAndContinuesOnceThereIsRoom() throws Exception {
    Path data = disk.resolve("data");
    Set<Long> acknowledged = new HashSet<>();
    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      fillUp();
      long next = 1;
      while (append(store, next, LARGE)) {
        acknowledged.add(hlc(next++));
      }
      assertThat(store.writeTrouble())
          .hasValueSatisfying(trouble -> assertThat(trouble).contains("is full"));
      assertThat(stamps(store)).containsExactlyInAnyOrderElementsOf(acknowledged);

      appendOnceThereIsRoom(store, next, "x");
      acknowledged.add(hlc(next));
    }
    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      assertThat(stamps(store)).containsExactlyInAnyOrderElementsOf(acknowledged);
    }
  }

  /** RocksDB begins a log file for each 32 MiB, and does not recover from a failure there. */
  @Test
  void append_diskIsFullWhereALogFileBegins_continuesOnceThereIsRoom() throws Exception {
    Path data = disk.resolve("data");
    Set<Long> acknowledged = new HashSet<>();
    Random random = new Random(1);
    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      assertThat(append(store, 1)).isTrue();
      acknowledged.add(hlc(1));
      fillUp();
      long next = 2;
      while (append(store, next, noise(random))) {
        acknowledged.add(hlc(next++));
      }
      assertThat(acknowledged).hasSizeGreaterThan(10);
      assertThat(stamps(store)).containsExactlyInAnyOrderElementsOf(acknowledged);
      assertThat(append(store, next, "x")).isFalse();

      appendOnceThereIsRoom(store, next, "x");
      acknowledged.add(hlc(next));
      assertThat(stamps(store)).containsExactlyInAnyOrderElementsOf(acknowledged);
    }
    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      assertThat(stamps(store)).containsExactlyInAnyOrderElementsOf(acknowledged);
    }
  }

  /** Text that cannot be compressed. */
  private static String noise(Random random) {
    byte[] bytes = new byte[400_000];
    random.nextBytes(bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** A view whose blocks were replaced reads a database that is closed. */
  @Test
  void view_ofADatabaseThatIsOpenedAgain_saysSo() throws Exception {
    try (EventStore store =
        open(disk.resolve("data"), StoreOptions.DEFAULT.sealingBy(StoreFixture.limits(10)))) {
      for (int i = 1; i <= 300; i++) {
        assertThat(append(store, i)).isTrue();
      }
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(store.seal(hlc(200))).isPositive();
        fillUp();
        long next = 301;
        while (append(store, next, LARGE)) {
          next++;
        }
        appendOnceThereIsRoom(store, next, "x");
        assertThatThrownBy(() -> view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(event -> {}))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("repeat the query");
      }
      assertThat(stamps(store)).hasSizeGreaterThan(300);
    }
  }

  /** Views read blocks one by one, and not all of them before the database is opened again. */
  @Test
  void view_beforeAndAfterADatabaseIsOpenedAgain_isCompleteOrSaysThatItIsNot() throws Exception {
    try (EventStore store =
        open(disk.resolve("data"), UNCACHED.sealingBy(StoreFixture.limits(10)))) {
      for (int i = 1; i <= 300; i++) {
        assertThat(append(store, i)).isTrue();
      }
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        fillUntilRefused(store);
        appendOnceThereIsRoom(store, REFUSED, "x");
        StoreFixture.sealAll(store);
        assertThat(stamps(view)).hasSize(300);
      }
      assertThat(store.damage()).isEmpty();
    }
  }

  /** The sync that follows may fail as well, and no failed sync is ever repeated. */
  @Test
  void append_diskRunsFullWithinAGroup_continuesOnceThereIsRoom() throws Exception {
    Path data = disk.resolve("data");
    Set<Long> acknowledged = new HashSet<>();
    AtomicInteger failedSyncs = new AtomicInteger();
    Object gate = new Object();
    LogSync sync =
        database -> {
          synchronized (gate) {
            if (database.isFull()) {
              failedSyncs.incrementAndGet();
              throw new StoreException("no sync on a full disk");
            }
            database.sync();
          }
        };
    Random random = new Random(1);
    try (EventStore store = open(data, sync)) {
      assertThat(append(store, 1)).isTrue();
      acknowledged.add(hlc(1));
      fillUp();
      Map<Long, CompletableFuture<Receipt>> answers = new TreeMap<>();
      synchronized (gate) { // A group waits for the sync of the one before it.
        for (long next = 2; next < 100; next++) {
          Event event = set("a", "l", hlc(next), noise(random), next);
          answers.put(event.hlc(), store.append(lines(event)));
        }
      }
      answers.forEach(
          (stamp, answer) -> {
            if (answer.handle((receipt, failure) -> failure == null).join()) {
              acknowledged.add(stamp);
            }
          });
      assertThat(acknowledged).hasSizeLessThan(99);
      assertThat(failedSyncs).hasValue(0);

      appendOnceThereIsRoom(store, REFUSED, "x");
      acknowledged.add(hlc(REFUSED));
      assertThat(stamps(store)).containsAll(acknowledged);
    }
    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      assertThat(stamps(store)).containsAll(acknowledged);
    }
  }

  @Test
  void append_databaseCannotBeOpenedAgain_failsAndReadersSayWhy() throws Exception {
    Path data = disk.resolve("data");
    AtomicLong clock = new AtomicLong(StoreFixture.NOW_MICROS);
    try (EventStore store = EventStore.open(data, UNCACHED, clock::get)) {
      assertThat(append(store, 1)).isTrue();
      fillUntilRefused(store);
      Files.delete(disk.resolve("filler"));
      Files.writeString(data.resolve("db/CURRENT"), "damaged");
      for (int attempt = 0; attempt < 2; attempt++) {
        assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(REFUSED), "x", 1))).join())
            .hasCauseInstanceOf(StoreException.class)
            .hasMessageContaining("CURRENT");
        assertThatThrownBy(() -> stamps(store)).hasMessageContaining("start the server anew");
        clock.addAndGet(StoreWriter.REOPEN_PAUSE_MICROS);
      }
    }
  }

  @Test
  void append_databaseCanOnlyBeReadAgain_answersUntilItCanBeWritten() throws Exception {
    Path data = disk.resolve("data");
    AtomicLong clock = new AtomicLong(StoreFixture.NOW_MICROS);
    Random random = new Random(1);
    try (EventStore store =
        EventStore.open(
            data, StoreOptions.DEFAULT.sealingBy(StoreFixture.limits(10)), clock::get)) {
      for (int i = 1; i <= 24; i++) {
        assertThat(append(store, i, noise(random))).isTrue();
      }
      fillUp();
      // What views read is kept for a sealing that is then not written.
      assertThatThrownBy(() -> StoreFixture.sealAll(store)).hasMessageContaining("is full");
      Files.delete(disk.resolve("filler"));
      Path lock = data.resolve("db/LOCK");
      Files.delete(lock);
      Files.createDirectory(lock);
      assertThat(run("mount", "-o", "remount,size=512m", disk.toString())).isTrue();
      assertThat(append(store, REFUSED)).isFalse();
      assertThat(store.writeTrouble().orElseThrow()).contains("is in use by another");
      assertThat(stamps(store)).hasSize(24);

      Files.delete(lock);
      assertThat(append(store, REFUSED)).as("at once").isFalse();
      clock.addAndGet(StoreWriter.REOPEN_PAUSE_MICROS);
      assertThat(append(store, REFUSED)).as("%s", store.writeTrouble()).isTrue();
      assertThat(stamps(store)).hasSize(25);
    }
  }

  @Test
  void append_theRoomThatTheMessageNames_isEnough() throws Exception {
    try (EventStore store = open(disk.resolve("data"), StoreOptions.DEFAULT)) {
      fillUp();
      long next = 1;
      while (append(store, next, LARGE)) {
        next++;
      }
      long mebibytes = RocksSettings.FREE_BYTES >> 20;
      assertThat(store.writeTrouble().orElseThrow())
          .contains("free space there, at least " + mebibytes + " MiB");
      try (FileChannel filler =
          FileChannel.open(disk.resolve("filler"), StandardOpenOption.WRITE)) {
        filler.truncate(filler.size() - RocksSettings.FREE_BYTES + disk.toFile().getUsableSpace());
      }
      assertThat(disk.toFile().getUsableSpace())
          .isCloseTo(RocksSettings.FREE_BYTES, Offset.offset(1L << 20));
      awaitAppend(store, next, "x");
      assertThat(store.writeTrouble()).isEmpty();
    }
  }

  @Test
  void fullDisks_loseNothingInSilence() throws IOException {
    fillOften(3);
  }

  /** See {@link PowerCutTest} for the command and its parameters. */
  @Test
  @Tag("slow")
  @Timeout(3_600)
  void manyFullDisks_loseNothingInSilence() throws IOException {
    fillOften(FaultTraffic.rounds(100));
  }

  private void fillOften(int rounds) throws IOException {
    FaultTraffic.Summary summary = FaultTraffic.Summary.NOTHING;
    long first = FaultTraffic.firstSeed();
    for (long seed = first; seed < first + rounds; seed++) {
      summary = summary.plus(fillOnce("seed " + seed, new Random(seed)));
    }
    assertThat(summary.acknowledged()).isGreaterThan(rounds);
    System.out.println(summary.text("full disks", first));
  }

  /**
   * The disk becomes full at a random place of the log, and may still be full at the next start.
   */
  private FaultTraffic.Summary fillOnce(String what, Random random) throws IOException {
    Path data = disk.resolve(what.replace(' ', '-'));
    Path filler = disk.resolve("filler");
    FaultTraffic traffic = new FaultTraffic(random);
    int refused = 0;
    for (int life = 1 + random.nextInt(3); life > 0; life--) {
      try (EventStore store = open(data, StoreOptions.DEFAULT)) {
        traffic.send(store);
        fillUp();
        try (FileChannel channel = FileChannel.open(filler, StandardOpenOption.WRITE)) {
          channel.truncate(Math.max(0, channel.size() - random.nextInt(200_000)));
        }
        for (int i = 0; i < 40; i++) {
          traffic.send(store);
        }
        traffic.checkAll(what + ", full", store);
        if (random.nextBoolean()) {
          Files.delete(filler);
          Awaitility.await(what + ", with room again")
              .atMost(PATIENCE)
              .until(
                  () -> {
                    traffic.sendAgain(store);
                    return traffic.unansweredCount() == 0;
                  });
        }
      }
      if (Files.exists(filler)) {
        try (EventStore store = open(data, StoreOptions.DEFAULT)) {
          traffic.checkAll(what + ", started when full", store);
        } catch (StoreException e) {
          refused++;
        }
        Files.delete(filler);
      }
    }
    try (EventStore store = open(data, StoreOptions.DEFAULT)) {
      traffic.checkAll(what, store);
      traffic.sendAgain(store);
      traffic.checkAll(what, store);
    }
    run("rm", "-r", data.toString());
    return new FaultTraffic.Summary(1, traffic.acknowledgedCount(), refused, 0);
  }

  private static EventStore open(Path data, LogSync sync) {
    return EventStore.open(data, StoreOptions.DEFAULT, CLOCK, Metrics.unread(), sync);
  }

  private static EventStore open(Path data, StoreOptions options) {
    return EventStore.open(data, options, CLOCK);
  }

  private void fillUntilRefused(EventStore store) throws IOException {
    fillUp();
    for (long next = REFUSED - 1; append(store, next, LARGE); next--) {
      assertThat(next).isPositive();
    }
  }

  private void appendOnceThereIsRoom(EventStore store, long micros, String variable)
      throws IOException {
    Files.delete(disk.resolve("filler"));
    awaitAppend(store, micros, variable);
  }

  /** The first attempts may fail: RocksDB frees the space of its old logs when it comes to it. */
  private static void awaitAppend(EventStore store, long micros, String variable) {
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(append(store, micros, variable))
                    .as("%s", store.writeTrouble())
                    .isTrue());
  }

  private static boolean append(EventStore store, long micros) {
    return append(store, micros, "x".repeat(2_000));
  }

  private static boolean append(EventStore store, long micros, String variable) {
    try {
      store.append(lines(set("a", "l", hlc(micros), variable, micros))).join();
      return true;
    } catch (CompletionException e) {
      return false;
    }
  }

  private void fillUp() throws IOException {
    byte[] some = new byte[1 << 20];
    try (OutputStream filler = Files.newOutputStream(disk.resolve("filler"))) {
      while (true) {
        filler.write(some);
      }
    } catch (IOException full) {
      assertThat(disk.toFile().getUsableSpace()).isZero();
    }
  }

  private static Set<Long> stamps(EventStore store) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return stamps(view);
    }
  }

  private static Set<Long> stamps(View view) {
    Set<Long> stamps = new HashSet<>();
    view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(event -> stamps.add(event.hlc()));
    return stamps;
  }

  private static boolean run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
