// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.events;
import static io.retroscope.server.store.StoreFixture.fill;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.heartbeat;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.limits;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.list;
import static io.retroscope.server.store.StoreFixture.numbered;
import static io.retroscope.server.store.StoreFixture.open;
import static io.retroscope.server.store.StoreFixture.sealAll;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks;
import io.retroscope.server.store.disk.StoreDamageException;
import io.retroscope.server.store.disk.StoreSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;

/** Tests that sealing changes nothing that a reader or a sender of events can observe. */
@Timeout(120)
class SealerTest {
  private static final long ALL = HlcTimestamp.MAX_PACKED;
  private static final Set<String> LOGS = Set.of("a", "b", "l", "m");

  @TempDir Path directory;

  @Test
  void seal_randomHistories_keepsEventsCatalogWritesAndTotals() {
    compare(3);
  }

  @Test
  @Tag("slow")
  void seal_manyRandomHistories_keepsEventsCatalogWritesAndTotals() {
    compare(100);
  }

  private void compare(int seeds) {
    long sealedBlocks = 0;
    for (long seed = 1; seed <= seeds; seed++) {
      RandomHistory history = new RandomHistory(new Random(seed), 3);
      Path data = directory.resolve("sealed" + seed);
      try (EventStore arrived = open(directory.resolve("arrived" + seed), 5);
          EventStore sealed = open(data, 1 + (int) (seed % 5))) {
        history.appendTo(arrived, sealed);
        sealAll(sealed);
        assertSame(sealed, arrived, seed);
      }
      try (EventStore arrived = open(directory.resolve("arrived" + seed), 5);
          EventStore reopened = open(data, 2)) {
        sealedBlocks += reopened.figures().sealedBlockCount();
        assertSame(reopened, arrived, seed);
      }
    }
    assertThat(sealedBlocks).isGreaterThan(20L * seeds);
  }

  private static void assertSame(EventStore sealed, EventStore arrived, long seed) {
    try (View own = sealed.open(ClockOffsets.UNKNOWN);
        View expected = arrived.open(ClockOffsets.UNKNOWN)) {
      assertThat(events(own)).as("seed %d", seed).isEqualTo(events(expected));
      assertThat(list(own.scanRuns(LOGS, HlcRange.ALL)))
          .as("seed %d", seed)
          .isEqualTo(list(expected.scanRuns(LOGS, HlcRange.ALL)));
      assertThat(own.logs()).as("seed %d", seed).isEqualTo(expected.logs());
      assertThat(own.nodes()).as("seed %d", seed).isEqualTo(expected.nodes());
      for (String log : List.of("a", "b")) {
        assertThat(writes(own, log)).as("seed %d", seed).isEqualTo(writes(expected, log));
      }
      assertThat(own.warnings(HlcRange.ALL))
          .as("seed %d", seed)
          .isEqualTo(expected.warnings(HlcRange.ALL));
    }
    assertThat(sealed.totals().events()).isEqualTo(arrived.totals().events());
    assertThat(sealed.damage()).isEmpty();
  }

  @Test
  void append_againAfterSealing_recognisesDuplicatesAndContradictions() {
    try (EventStore store = open(directory, 3)) {
      List<EncodedFrame> blocks = new ArrayList<>();
      for (int i = 1; i <= 10; i++) {
        blocks.add(block("i", i, hlc(10L * i), List.of(set("n", "l", hlc(10L * i), "x", i))));
        store.append(frames(blocks.get(i - 1))).join();
        store.append(lines(numbered(i, set("m", "l", hlc(10L * i), "x", i)))).join();
      }
      assertThat(store.seal(ALL)).isEqualTo(8);
      assertThat(store.seal(ALL)).isEqualTo(8);
      List<Event> before = events(store);

      blocks.forEach(
          frame -> assertThat(store.append(frames(frame)).join()).isEqualTo(new Receipt(0, 1, 0)));
      Receipt asLine = store.append(lines(set("n", "l", hlc(50), "x", 5))).join();
      assertThat(asLine).isEqualTo(new Receipt(0, 1, 0));
      Receipt line = store.append(lines(numbered(7, set("m", "l", hlc(70), "x", 7)))).join();
      assertThat(line).isEqualTo(new Receipt(0, 1, 0));
      assertThatThrownBy(
              () ->
                  store
                      .append(
                          frames(block("i", 5, hlc(50), List.of(set("n", "l", hlc(50), "x", 99)))))
                      .join())
          .isInstanceOf(CompletionException.class)
          .hasMessageContaining("already stored with different content");
      assertThatThrownBy(() -> store.append(lines(set("m", "l", hlc(70), "x", 8))).join())
          .hasMessageContaining("another event");
      assertThat(events(store)).isEqualTo(before);

      // Another run of the node may have used the stamp.
      EncodedFrame otherRun = block("j", 1, hlc(50), List.of(set("n", "l", hlc(50), "x", 99)));
      assertThat(store.append(frames(otherRun)).join()).isEqualTo(new Receipt(1, 0, 0));
      assertThat(events(store)).hasSize(before.size() + 1);
    }
  }

  @Test
  void view_openedBeforeSealing_readsTheArrivals() {
    try (EventStore store =
        EventStore.open(
            directory,
            new StoreOptions(0, MemoryBudget.ofProcess(), 0).sealingBy(limits(2)),
            () -> NOW_MICROS)) {
      fill(store, 1, 40);
      try (View before = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(store.seal(hlc(20))).isPositive();
        fill(store, 41, 45);
        try (View between = store.open(ClockOffsets.UNKNOWN)) {
          assertThat(store.seal(ALL)).isPositive();
          assertThat(store.retain(Retention.ofAge(Duration.ofDays(1), () -> NOW_MICROS)))
              .isPositive();
          assertThat(events(before)).hasSize(40);
          assertThat(events(between)).hasSize(45);
        }
      }
      assertThat(store.damage()).isEmpty();
    }
  }

  @Test
  void seal_blocksThatItCannotHold_leavesThem() {
    try (EventStore store = open(directory, 4)) {
      store
          .append(
              frames(
                  block(
                      "i",
                      1,
                      hlc(9),
                      List.of(set("n", "l", hlc(3), "x", 1), heartbeat("n", hlc(4))))))
          .join();
      Event stopInALog = new Event("n", "l", hlc(5), new EventBody.Stop());
      store.append(frames(block("i", 2, hlc(9), List.of(stopInALog)))).join();
      Event withoutLog = set("n", "", hlc(6), "x", 1);
      store.append(frames(block("i", 3, hlc(9), List.of(withoutLog)))).join();
      fill(store, 11, 30);
      List<Event> before = events(store);
      while (store.seal(ALL) > 0) {
        // The next batch.
      }
      assertThat(store.figures().blockCount() - store.figures().sealedBlockCount())
          .isEqualTo(3 + 7);
      assertThat(events(store)).isEqualTo(before);
    }
  }

  @Test
  void seal_startsAndStopsInSeveralLogs_areScannedOnce() {
    try (EventStore store = open(directory, 20)) {
      for (int i = 1; i <= 12; i++) {
        EventBody start = new EventBody.Start("i" + i, hlc(0), "", Spill.COMPLETE);
        store
            .append(
                frames(
                    block(
                        "i" + i,
                        1,
                        hlc(100L * i + 9),
                        List.of(
                            new Event("n", "", hlc(100L * i), start),
                            set("n", "l", hlc(100L * i + 1), "x", i),
                            set("n", "m", hlc(100L * i + 2), "y", i),
                            new Event("n", "", hlc(100L * i + 3), new EventBody.Stop())))))
            .join();
      }
      List<Event> before = events(store);
      assertThat(before).hasSize(48);
      sealAll(store);
      assertThat(store.figures().sealedBlockCount()).isEqualTo(12);
      assertThat(events(store)).isEqualTo(before);
    }
  }

  @Test
  void retain_sealedBlocks_removesThemInOrderOfArrival() {
    Retention halfAMinute = Retention.ofAge(Duration.ofSeconds(30), () -> NOW_MICROS);
    long begin = NOW_MICROS - 60_000_000;
    try (EventStore store = open(directory, 5)) {
      for (int i = 0; i < 60; i++) {
        store.append(lines(set("n", "l", hlc(begin + 1_000_000L * i), "x", i))).join();
      }
      sealAll(store);
      assertThat(store.retain(halfAMinute)).isPositive();
      assertThat(store.retain(halfAMinute)).isZero();
      assertThat(events(store))
          .hasSizeBetween(30, 34)
          .extracting(Event::hlc)
          .contains(hlc(begin + 30_000_000L), hlc(begin + 59_000_000L));
    }
    try (EventStore store = open(directory, 5)) {
      assertThat(events(store)).hasSizeBetween(30, 34);
      store.append(lines(set("n", "l", hlc(begin + 70_000_000L), "x", 1))).join();
      assertThat(store.retain(blocks -> blocks.count())).isPositive();
      assertThat(events(store)).isEmpty();
    }
    try (EventStore store = open(directory, 5)) {
      assertThat(events(store)).isEmpty();
    }
  }

  @Test
  void removableCount_sealedAndSmallBlocks_weighsThemByTheirEvents() {
    try (EventStore store = open(directory, 50)) {
      fill(store, 1, 100);
      assertThat(store.seal(hlc(95))).isPositive();
      List<Integer> counts = new ArrayList<>();
      store.retain(
          blocks -> {
            counts.add(blocks.count());
            return 0;
          });
      assertThat(counts).containsExactly(100);
      // The sealed block has 8 of the events, so it goes alone although it is one block of many.
      assertThat(store.retain(blocks -> 8)).isEqualTo(1);
      assertThat(store.retain(blocks -> blocks.count() - 1)).isEqualTo(91);
      assertThat(store.figures().blockCount()).isEqualTo(1);
    }
  }

  @Test
  void verifyBackupCompact_sealedBlocks_coverThem() {
    Path data = directory.resolve("data");
    Path backups = directory.resolve("backups");
    List<Event> before;
    try (EventStore store = open(data, 5)) {
      fill(store, 1, 60);
      sealAll(store);
      before = events(store);
      store.backup(backups);
      store.compact();
      assertThat(events(store)).isEqualTo(before);
    }
    StoreMaintenance.compact(data);
    StoreMaintenance.Verdict verdict = StoreMaintenance.verify(data);
    assertThat(verdict.problems()).isEmpty();
    assertThat(verdict.lines()).anyMatch(line -> line.matches("sealed: 1[0-9] entries read"));
    assertThat(StoreMaintenance.stats(data))
        .contains("events: 60")
        .anyMatch(line -> line.matches("sealed log \"l\": 1[0-9] blocks, .* bytes"));
    StoreMaintenance.restore(backups, directory.resolve("copy"));
    try (EventStore copy = open(directory.resolve("copy"), 5)) {
      assertThat(events(copy)).isEqualTo(before);
    }
  }

  @Test
  void block_sealedAndDamaged_isLeftOutAndReported() throws RocksDBException {
    try (EventStore store = open(directory, 10)) {
      fill(store, 1, 40);
      sealAll(store);
    }
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT);
        Changes changes = new Changes(database)) {
      long id = database.lastKey(StoreSchema.SEALED).orElseThrow();
      byte[] bytes = database.get(StoreSchema.SEALED, id).orElseThrow();
      bytes[bytes.length - 3] ^= 4;
      changes.put(StoreSchema.SEALED, id, bytes);
      changes.write();
    }
    assertThat(StoreMaintenance.verify(directory).problems())
        .singleElement()
        .asString()
        .contains("is damaged");
    try (EventStore store = open(directory, 10);
        View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(events(view)).hasSizeBetween(30, 35);
      assertThat(view.warnings(HlcRange.ALL))
          .singleElement()
          .asString()
          .contains("is damaged and left out");
      assertThat(view.gaps(HlcRange.ALL)).isNotEmpty();
    }
  }

  @Test
  void open_aSummaryThatCannotBeRead_isRebuilt() {
    List<Event> before;
    try (EventStore store = open(directory, 10)) {
      fill(store, 1, 40);
      sealAll(store);
      before = events(store);
    }
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT);
        Changes changes = new Changes(database)) {
      long id = database.lastKey(StoreSchema.SUMMARIES).orElseThrow();
      changes.put(StoreSchema.SUMMARIES, id, new byte[] {99});
      changes.write();
    }
    for (int reopened = 0; reopened < 2; reopened++) {
      try (EventStore store = open(directory, 10);
          View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(events(view)).isEqualTo(before);
        assertThat(view.nodes().get(0).eventCount()).isEqualTo(40);
        assertThat(view.warnings(HlcRange.ALL)).isEmpty();
      }
    }
    assertThat(StoreMaintenance.verify(directory).problems()).isEmpty();
  }

  @Test
  void open_aMissingName_isRefused() {
    try (EventStore store = open(directory, 10)) {
      fill(store, 1, 40);
      sealAll(store);
    }
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT);
        Changes changes = new Changes(database)) {
      changes.delete(StoreSchema.NAMES, new StoreSchema.NameId(StoreSchema.NameId.VARIABLE, 0));
      changes.put(StoreSchema.NAMES, new StoreSchema.NameId(StoreSchema.NameId.VARIABLE, 1), "z");
      changes.write();
    }
    assertThatThrownBy(() -> open(directory, 10).close())
        .isInstanceOf(StoreDamageException.class)
        .hasMessageContaining("name 0 of sealed blocks is missing");
  }

  @Test
  void seal_newNamesAfterAReopening_keepTheOldOnes() {
    List<Event> before = new ArrayList<>();
    for (int part = 0; part < 4; part++) {
      try (EventStore store = open(directory, 5)) {
        assertThat(events(store)).isEqualTo(before);
        for (int i = 1; i <= 20; i++) {
          Event event = set("n" + part, "l", hlc(1_000L * part + i), "x" + (part + i % 3), i);
          store.append(lines(event)).join();
        }
        before = events(store);
        sealAll(store);
        assertThat(events(store)).isEqualTo(before);
      }
    }
  }

  @Test
  void forget_aNodeWithSealedBlocks_closesItsRun() {
    try (EventStore store = open(directory, 5)) {
      fill(store, 1, 30);
      sealAll(store);
      assertThat(store.forget("n")).hasSize(1);
      assertThat(events(store)).hasSize(31);
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.nodes().get(0).forgotten()).isTrue();
      }
    }
  }

  @Test
  void open_aStoreWithoutSealedBlocks_becomesOneThatOlderProgramsRefuse() throws Exception {
    try (EventStore store = open(directory, 5)) {
      fill(store, 1, 5);
    }
    Files.writeString(directory.resolve("FORMAT"), "retroscope store 1\n");
    assertThat(StoreMaintenance.verify(directory).problems()).isEmpty();
    assertThat(directory.resolve("FORMAT")).hasContent("retroscope store 1\n");
    open(directory, 5).close();
    assertThat(directory.resolve("FORMAT")).hasContent("retroscope store 2\n");
    Files.writeString(directory.resolve("FORMAT"), "retroscope store 3\n");
    assertThatThrownBy(() -> open(directory, 5).close())
        .hasMessageContaining("holds \"retroscope store 3\", but this program reads");
  }

  private static List<String> writes(View view, String log) {
    List<String> writes = new ArrayList<>();
    view.writes(log, () -> false)
        .byVariable()
        .forEach(
            (name, sum) ->
                writes.add(
                    "%s %s %d %d %d"
                        .formatted(
                            name, sum.types(), sum.nodeCount(), sum.count(), sum.lastHlc())));
    return writes;
  }
}
