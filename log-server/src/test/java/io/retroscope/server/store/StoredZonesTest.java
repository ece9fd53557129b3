// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.NameTable;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks.Mode;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.zone.SummaryCodec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that zones which answer for stored blocks change no row, whatever arrives or goes. */
@Timeout(120)
class StoredZonesTest {
  private static final long ALL = HlcTimestamp.MAX_PACKED;

  /** Each is answered for most blocks, and has rows in some. */
  private static final List<String> QUERIES =
      List.of(
          "SELECT a, Age(a) AS i FROM t WHEN MAX(a) > 9",
          "SELECT a, Age(a) AS i FROM t WHEN MIN(a) < -9",
          "SELECT a, Prev(a) AS i FROM t WHEN SPREAD(a) > 11",
          "SELECT a FROM t WHEN SPREAD(a) > 10 EMIT INTERVALS",
          "SELECT a FROM t WHEN a@n1 - a@n2 > 9 EMIT EDGES",
          "SELECT a FROM t WHEN (COUNT n IN NODES : (a@n > 8)) > 0 FOR 20us",
          "SELECT a, b FROM t WHEN MAX(a) > 8 AND MIN(b) < 3");

  /** Enough names for the ids of a summary. */
  private static final NameTable NODES = NameTable.of(List.of("n1", "n2", "n3"));

  private static final SealLimits LIMITS = new SealLimits(80, 240, 1_000);

  @TempDir Path directory;

  @Test
  void rows_ofRandomArrivalsBetweenSealings_areThoseOfMemory() {
    compare(2);
  }

  @Test
  @Tag("slow")
  @Timeout(1_200)
  void rows_ofManyRandomArrivalsBetweenSealings_areThoseOfMemory() {
    compare(20);
  }

  private void compare(int seeds) {
    long answered = 0;
    for (long seed = 1; seed <= seeds; seed++) {
      Random random = new Random(seed);
      List<EncodedFrame> blocks = arrivals(random);
      List<Event> stored = new ArrayList<>();
      SealLimits limits = new SealLimits(60 + random.nextInt(60), 200 + random.nextInt(300), 1_000);
      try (EventStore store = open(directory.resolve("s" + seed), limits)) {
        for (int i = 0; i < blocks.size(); i++) {
          store.append(frames(blocks.get(i))).join();
          ((EventBlock) blocks.get(i).content()).events().forEach(stored::add);
          if (random.nextInt(40) == 0) {
            store.seal(stored.get(random.nextInt(stored.size())).hlc());
          }
          if (i > 50 && (random.nextInt(150) == 0 || i == blocks.size() - 1)) {
            answered += compare(store, stored, "seed " + seed + " after block " + i);
          }
        }
        sealAll(store);
        answered += compare(store, stored, "seed " + seed + " sealed");
      }
    }
    assertThat(answered).as("blocks answered by their zones").isGreaterThan(37L * seeds);
  }

  @Test
  void rows_afterRetention_areThoseWithoutZones() {
    try (EventStore store = open(directory, LIMITS)) {
      fill(store, new Random(1));
      sealAll(store);
      assertThat(store.retain(blocks -> blocks.count() / 2)).isPositive();
      // What is gone is gone for both: without rules every remaining block is read.
      EventSource source = source(store);
      assertThat(Answers.rows(source, QUERIES.get(0)))
          .isEqualTo(Answers.rows(source, "SELECT a, Age(a) AS i FROM t WHEN MAX(a) + 0.0 > 9"));
      assertThat(Answers.answeredByZones(source, QUERIES.get(0))).isPositive();
    }
  }

  @Test
  void query_summariesOfAnOlderProgram_readsTheBlocks() {
    List<String> before = filled();
    rewriteSummaries(StoredZonesTest::withoutZone);
    assertReadsBlocks(before);
    assertThat(StoreMaintenance.verify(directory).problems()).isEmpty();
  }

  @Test
  void query_damagedZones_readsTheBlocks() {
    List<String> before = filled();
    rewriteSummaries(
        bytes -> {
          byte[] damaged = bytes.clone();
          damaged[damaged.length - 2] ^= 1;
          return damaged;
        });
    assertReadsBlocks(before);
    assertThat(StoreMaintenance.verify(directory).problems())
        .isNotEmpty()
        .allMatch(problem -> problem.contains("the checksum of the zone does not match"));
  }

  @Test
  void open_summariesThatCannotBeRead_rebuildsTheirZones() {
    List<String> before = filled();
    rewriteSummaries(bytes -> new byte[] {99});
    try (EventStore store = open(directory, LIMITS)) {
      assertThat(Answers.rows(source(store), QUERIES.get(0))).isEqualTo(before);
      assertThat(Answers.answeredByZones(source(store), QUERIES.get(0))).isPositive();
    }
  }

  /** Fills the store and returns the rows of the first query, for which zones answered. */
  private List<String> filled() {
    try (EventStore store = open(directory, LIMITS)) {
      fill(store, new Random(1));
      sealAll(store);
      assertThat(Answers.answeredByZones(source(store), QUERIES.get(0))).isPositive();
      return Answers.rows(source(store), QUERIES.get(0));
    }
  }

  private void assertReadsBlocks(List<String> expected) {
    try (EventStore store = open(directory, LIMITS)) {
      assertThat(Answers.rows(source(store), QUERIES.get(0))).isEqualTo(expected);
      assertThat(Answers.answeredByZones(source(store), QUERIES.get(0))).isZero();
      assertThat(store.damage()).isEmpty();
    }
  }

  private void rewriteSummaries(UnaryOperator<byte[]> rewriting) {
    try (Database database = Database.open(directory, Mode.STRICT);
        Changes changes = new Changes(database)) {
      database.forEach(
          StoreSchema.SUMMARIES,
          (id, bytes) -> changes.put(StoreSchema.SUMMARIES, id, rewriting.apply(bytes)),
          (id, reason) -> {});
      changes.write();
    }
  }

  /** The longest beginning of a summary that contains no zone. */
  private static byte[] withoutZone(byte[] bytes) {
    for (int length = bytes.length; length > 0; length--) {
      byte[] beginning = Arrays.copyOf(bytes, length);
      try {
        if (SummaryCodec.decodeLongZone(beginning, NODES).isEmpty()) {
          return beginning;
        }
      } catch (CorruptBlockException e) {
        // It ends within the zone.
      }
    }
    throw new AssertionError("not a summary");
  }

  private static long compare(EventStore store, List<Event> stored, String when) {
    List<Event> ordered = new ArrayList<>(stored);
    ordered.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
    EventSource memory = new InMemoryEventSource(ordered, ClockOffsets.UNKNOWN);
    EventSource own = source(store);
    long answered = 0;
    for (String query : QUERIES) {
      assertThat(Answers.rows(own, query))
          .as("%s: %s", when, query)
          .isEqualTo(Answers.rows(memory, query));
      answered += Answers.answeredByZones(own, query);
    }
    return answered;
  }

  private static void fill(EventStore store, Random random) {
    arrivals(random).forEach(block -> store.append(frames(block)).join());
  }

  /** Blocks of three nodes, mostly in the order of their last stamps; some arrive late. */
  private static List<EncodedFrame> arrivals(Random random) {
    Map<Integer, List<Event>> open = new HashMap<>();
    Map<Integer, Integer> numbers = new HashMap<>();
    Map<Long, EncodedFrame> byArrival = new HashMap<>();
    long[] values = new long[4];
    long micros = 1_000;
    boolean restarts = random.nextBoolean();
    for (int i = 0; i < 1_500; i++) {
      micros += 1 + random.nextInt(3);
      int node = 1 + random.nextInt(3);
      values[node] += random.nextInt(3) - 1 - Long.signum(values[node]) * (random.nextInt(9) / 8);
      List<Event> events = open.computeIfAbsent(node, n -> new ArrayList<>());
      events.add(event("n" + node, hlc(micros), values[node], restarts, random));
      if (events.size() > random.nextInt(9)) {
        int number = numbers.merge(node, 1, Integer::sum);
        long late = random.nextInt(60) == 0 ? random.nextInt(2_000) : 0;
        byArrival.put((micros + late) * 10 + node, block("i" + node, number, hlc(micros), events));
        events.clear();
      }
    }
    return byArrival.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(Map.Entry::getValue)
        .toList();
  }

  private static Event event(String node, long hlc, long value, boolean restarts, Random random) {
    if (restarts && random.nextInt(300) == 0) {
      return new Event(
          node,
          "",
          hlc,
          new EventBody.Start("r" + hlc, HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE));
    }
    return set(node, "t", hlc, random.nextInt(4) == 0 ? "b" : "a", value);
  }

  private static void sealAll(EventStore store) {
    while (store.seal(ALL) > 0) {
      // The next batch.
    }
  }

  private static EventStore open(Path folder, SealLimits limits) {
    StoreOptions options = new StoreOptions(0, MemoryBudget.ofProcess(), 0).sealingBy(limits);
    return EventStore.open(folder, options, () -> NOW_MICROS);
  }

  private static EventSource source(EventStore store) {
    return () -> store.open(ClockOffsets.UNKNOWN);
  }
}
