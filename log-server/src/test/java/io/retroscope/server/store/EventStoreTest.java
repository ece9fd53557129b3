// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.heartbeat;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.Table;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.StoreConflictException;
import io.retroscope.server.store.zone.ZoneCodec;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class EventStoreTest {
  private static final Table<Long, byte[]> RAW_ZONES =
      new Table<>(
          StoreSchema.ZONES.family(), StoreSchema.ZONES.keys(), StoreSchema.BLOCKS.values());

  @TempDir Path directory;
  private EventStore store;

  @BeforeEach
  void open() {
    store = StoreFixture.open(directory);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void saturatedSum_beyondTheLargestNumber_isTheLargestNumber() {
    assertThat(EventStore.saturatedSum(LongStream.of(1, 2))).isEqualTo(3);
    assertThat(EventStore.saturatedSum(LongStream.of(Long.MAX_VALUE, 1, 5)))
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void scan_overlappingBlocksInAnyOrder_givesWhatMemoryGives() {
    long seed = Long.getLong("retroscope.seed", 20261121);
    Random random = new Random(seed);
    for (int round = 0; round < 3; round++) {
      store.close();
      store =
          EventStore.open(
              directory.resolve("round" + round),
              // A tiny cache, so that blocks are also read back from the database.
              new StoreOptions(2_000, MemoryBudget.ofProcess(), 0),
              () -> NOW_MICROS);
      List<Event> events = randomEvents(random);
      appendInRandomPieces(random, events);
      for (int reopen = 0; reopen < 2; reopen++) {
        try (View stored = store.open(ClockOffsets.UNKNOWN);
            View expected = new InMemoryEventSource(events, ClockOffsets.UNKNOWN).open()) {
          String what = "seed " + seed + ", round " + round + ", reopened " + reopen;
          assertThat(stored.logs()).as(what).isEqualTo(expected.logs());
          assertThat(stored.nodes()).as(what).isEqualTo(expected.nodes());
          assertThat(stored.arrivals())
              .as(what)
              .containsExactlyInAnyOrderElementsOf(expected.arrivals());
          assertThat(stored.extent()).as(what).isEqualTo(expected.extent());
          for (int i = 0; i < 40; i++) {
            HlcRange range = randomRange(random, events);
            Set<String> logs = random.nextBoolean() ? Set.of("l0", "l2") : Set.of("l1");
            assertThat(firstDifference(stored.scan(logs, range), expected.scan(logs, range)))
                .as("%s, %s in %s", what, logs, range)
                .isEmpty();
          }
        }
        store.close();
        store = StoreFixture.open(directory.resolve("round" + round));
      }
    }
  }

  @Test
  void append_listenerFails_othersAreNotifiedAndItIsStored() {
    List<EventBlock> heard = new ArrayList<>();
    store.addListener(
        new StoreListener() {
          @Override
          public void stored(EventBlock block) {
            throw new IllegalStateException("on purpose");
          }

          @Override
          public void heard(Collection<Incarnation> incarnations) {}
        });
    store.addListener(
        new StoreListener() {
          @Override
          public void stored(EventBlock block) {
            heard.add(block);
          }

          @Override
          public void heard(Collection<Incarnation> incarnations) {}
        });

    assertThat(store.append(lines(set("n", "l", hlc(1), "x", 1))).join().accepted()).isEqualTo(1);
    assertThat(heard).hasSize(1);
  }

  private static List<Event> randomEvents(Random random) {
    List<Event> events = new ArrayList<>();
    Map<String, Long> last = new HashMap<>();
    for (int i = 0; i < 3_000; i++) {
      String node = "n" + random.nextInt(12);
      // Small steps, so that different nodes have common stamps; occasionally a long silence.
      long gap = random.nextInt(500) == 0 ? 5_000_000 : random.nextInt(3) * 1_000;
      long hlc = last.getOrDefault(node, hlc(1_000_000)) + 4096 * Math.max(1_000, gap);
      last.put(node, hlc);
      events.add(
          random.nextInt(100) == 0
              ? new Event(node, "", hlc, new EventBody.Stop())
              : set(node, "l" + random.nextInt(3), hlc, "v" + random.nextInt(5), i));
    }
    return events;
  }

  /** Half of the nodes send blocks, the others lines, in random pieces and order. */
  private void appendInRandomPieces(Random random, List<Event> events) {
    List<Submission> submissions = new ArrayList<>();
    List<Event> loose = new ArrayList<>();
    for (int n = 0; n < 12; n++) {
      String node = "n" + n;
      List<Event> own = events.stream().filter(e -> e.node().equals(node)).toList();
      if (n % 2 == 0) {
        loose.addAll(own);
      } else {
        long number = 1;
        for (int from = 0, to; from < own.size(); from = to) {
          to = Math.min(own.size(), from + 1 + random.nextInt(60));
          List<Event> part = own.subList(from, to);
          submissions.add(frames(block("i", number++, part.get(part.size() - 1).hlc(), part)));
        }
      }
    }
    Collections.shuffle(loose, random);
    for (int from = 0, to; from < loose.size(); from = to) {
      to = Math.min(loose.size(), from + 1 + random.nextInt(200));
      submissions.add(lines(loose.subList(from, to)));
    }
    Collections.shuffle(submissions, random);
    List<CompletableFuture<Receipt>> receipts =
        new ArrayList<>(submissions.stream().map(store::append).toList());
    submissions.forEach(again -> receipts.add(store.append(again)));
    long accepted = receipts.stream().mapToLong(r -> r.join().accepted()).sum();
    long duplicates = receipts.stream().mapToLong(r -> r.join().duplicates()).sum();
    assertThat(accepted).isEqualTo(events.size());
    assertThat(duplicates).isEqualTo(events.size());
  }

  private static String firstDifference(Iterator<Event> actual, Iterator<Event> expected) {
    for (int i = 0; actual.hasNext() || expected.hasNext(); i++) {
      String a = actual.hasNext() ? actual.next().toString() : "nothing";
      String e = expected.hasNext() ? expected.next().toString() : "nothing";
      if (!a.equals(e)) {
        return "event " + i + ": " + a + " instead of " + e;
      }
    }
    return "";
  }

  private static HlcRange randomRange(Random random, List<Event> events) {
    long a = events.get(random.nextInt(events.size())).hlc() + random.nextInt(3) - 1;
    long b = events.get(random.nextInt(events.size())).hlc() + random.nextInt(3) - 1;
    return random.nextInt(10) == 0 ? HlcRange.ALL : new HlcRange(Math.min(a, b), Math.max(a, b));
  }

  @Test
  void open_view_staysAsItIs() {
    store.append(lines(set("a", "l", hlc(10), "x", 1))).join();
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      store.append(lines(set("a", "l", hlc(20), "y", 1), set("b", "l", hlc(5), "x", 1))).join();

      assertThat(view.scan(Set.of("l"), HlcRange.ALL)).toIterable().hasSize(1);
      assertThat(view.nodes()).hasSize(1);
      assertThat(view.logs().get(0).variables()).containsExactly("x");
      assertThat(view.extent()).contains(new HlcRange(hlc(10), hlc(10)));
    }
  }

  @Test
  void append_eventThatLostItsNumber_isADuplicate() {
    store.append(lines(event(1, 10))).join();
    assertThat(store.append(lines(event(1, 10).withoutSequence())).join())
        .isEqualTo(new Receipt(0, 1, 0));
  }

  private static Event event(long sequence, long micros) {
    return StoreFixture.numbered(sequence, set("a", "l", hlc(micros), "x", sequence));
  }

  @Test
  void blocks_ofAScan_areReadOrSkipped() {
    store.append(lines(set("a", "l", hlc(10), "x", 1))).join();
    store.append(lines(set("a", "other", hlc(20), "x", 1))).join();
    store.append(lines(set("a", "l", hlc(30), "x", 1))).join();
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      Iterator<Event> events = view.scan(Set.of("l"), new HlcRange(hlc(0), hlc(25)));
      while (events.hasNext()) {
        events.next();
      }
      assertThat(view.blockReads().map(BlockReads::count)).contains(new BlockCount(1, 2));
    }
  }

  @Test
  void open_zoneMapsOfAnOlderProgram_areMadeAnew() throws IOException {
    store.append(lines(set("a", "l", hlc(10), "x", 1), set("b", "m", hlc(11), "y", 1))).join();
    store.close();
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT);
        Changes changes = new Changes(database)) {
      changes.put(RAW_ZONES, 1L, oldZone());
      changes.write();
    }
    for (int reopened = 0; reopened < 2; reopened++) {
      open();
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.logs())
            .containsExactly(
                new LogDescription("l", List.of("x"), 1), new LogDescription("m", List.of("y"), 1));
        assertThat(view.scan(Set.of("m"), HlcRange.ALL)).toIterable().hasSize(1);
      }
      store.close();
    }
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT)) {
      assertThat(database.get(RAW_ZONES, 1L))
          .hasValueSatisfying(zone -> assertThat(zone[0]).isEqualTo((byte) ZoneCodec.VERSION));
    }
    open();
  }

  /** A zone map of version 1, which merged the logs of all nodes; its content is ignored. */
  private static byte[] oldZone() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeByte(1);
    out.writeLong(HlcTimestamp.toWire(hlc(10)));
    out.writeLong(HlcTimestamp.toWire(hlc(11)));
    out.writeBoolean(false);
    out.writeInt(0);
    out.writeInt(0);
    return bytes.toByteArray();
  }

  @Test
  void append_farAheadOfTheClock_isQuarantinedAndPromisesNothing() {
    long future = hlc(NOW_MICROS + 61_000_000);
    Receipt receipt =
        store
            .append(
                frames(
                    block(
                        "i",
                        1,
                        future,
                        List.of(set("a", "l", hlc(10), "x", 1), set("a", "l", future, "x", 2)))))
            .join();

    assertThat(receipt).isEqualTo(new Receipt(2, 0, 1));
    assertThat(frontier()).isEqualTo(EventBlock.NO_HEARTBEAT);
    assertThat(store.figures().quarantinedCount()).isEqualTo(1);
    close();
    open();
    assertThat(store.figures().quarantinedCount()).isEqualTo(1);
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.scan(Set.of("l"), HlcRange.ALL)).toIterable().hasSize(1);
    }
  }

  @Test
  void append_conflictInTheMiddle_storesNothing() {
    store.append(lines(set("a", "l", hlc(10), "x", 1))).join();
    CompletableFuture<Receipt> refused =
        store.append(lines(set("b", "l", hlc(9), "x", 1), set("a", "l", hlc(10), "x", 2)));

    assertThatThrownBy(refused::join).hasCauseInstanceOf(StoreConflictException.class);
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.nodes()).hasSize(1);
    }
  }

  @Test
  void incarnations_stopAndStart_areKnownAfterARestart() {
    Event start = new Event("a", "", hlc(5), new EventBody.Start("i", hlc(4), "", Spill.COMPLETE));
    Event stop = new Event("a", "", hlc(40), new EventBody.Stop());
    store.append(frames(block("i", 1, hlc(9), List.of(start)))).join();
    store.append(frames(block("i", 3, hlc(41), List.of(stop)))).join();
    assertThat(store.incarnations()).noneMatch(Incarnation::isStopped);
    store.append(frames(block("i", 2, hlc(9), List.of(set("a", "l", hlc(8), "x", 1))))).join();
    close();
    open();

    assertThat(store.incarnations())
        .singleElement()
        .satisfies(
            i -> {
              assertThat(i.isStopped()).isTrue();
              assertThat(i.startSeen()).isTrue();
              assertThat(i.startHlc()).isEqualTo(hlc(5));
            });
  }

  @Test
  void sightings_heartbeatsAndSilence_areKnownAfterARestart() {
    List<Event> heartbeats = new ArrayList<>();
    for (int i = 0; i <= 100; i++) {
      heartbeats.add(heartbeat("a", hlc(1_000_000 + 20_000L * i)));
    }
    heartbeats.add(heartbeat("a", hlc(9_000_000)));
    store.append(lines(heartbeats)).join();
    close();
    open();

    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.sightings(HlcRange.ALL))
          .toIterable()
          .containsExactly(
              new Sighting("a", hlc(1_000_000), 2_000_000),
              new Sighting("a", hlc(3_000_000), 0),
              new Sighting("a", hlc(9_000_000), 0));
    }
  }

  @Test
  void sightings_promisedHeartbeats_assureTheTimeBetweenThemAfterARestart() {
    long promise = 5_000_000;
    for (int i = 0; i <= 40; i++) {
      EventBlock heartbeat =
          EventBlock.heartbeat("a", "i", 0, hlc(1_000_000 + i * promise), 0, promise);
      store.append(frames(StoreFixture.frame(heartbeat))).join();
    }
    close();
    open();

    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.sightings(HlcRange.ALL))
          .toIterable()
          .containsExactly(
              new Sighting("a", hlc(1_000_000), 60_000_000),
              new Sighting("a", hlc(61_000_000), 60_000_000, false),
              new Sighting("a", hlc(121_000_000), 60_000_000, false),
              new Sighting("a", hlc(181_000_000), 20_000_000, false),
              new Sighting("a", hlc(201_000_000), 15_000_000));
      // At the end of the range, the promise is unchanged.
      assertThat(view.sightings(new HlcRange(hlc(5_000_000), hlc(10_000_000))))
          .toIterable()
          .containsExactly(
              new Sighting("a", hlc(5_000_000), 5_000_000, false),
              new Sighting("a", hlc(10_000_000), 75_000_000, false));
    }
  }

  /** Not only for a while: a cluster has a store for each partition, and most are idle. */
  @Test
  void writingThread_nothingToStore_sleeps() {
    await().until(() -> store.writingThread().getState() == Thread.State.WAITING);
    store.append(lines(set("a", "l", hlc(1), "x", 1))).join();
    await().until(() -> store.writingThread().getState() == Thread.State.WAITING);
  }

  @Test
  void append_afterClose_failsCleanly() {
    close();

    assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(1), "x", 1))))
        .isInstanceOf(StoreException.class)
        .hasMessage("the store is closing");
  }

  private long frontier() {
    return store.incarnations().iterator().next().frontier();
  }
}
