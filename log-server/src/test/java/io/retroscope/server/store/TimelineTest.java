// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.sealAll;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelineVariable;
import io.retroscope.blocks.timeline.TimelineVariable.Extremes;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks.Mode;
import io.retroscope.server.store.disk.StoreSchema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.WriteBatch;

/** Tests of tiles from a store, against a count of all events. */
@Timeout(300)
class TimelineTest {
  private static final long BASE = 1_795_200_000_000_000L;
  private static final TileAddress ALL = new TileAddress(TimelineBins.MAX_LEVEL, 0);

  @TempDir Path directory;

  private static Tile tile(EventStore store, TileAddress address) {
    return tile(store, address, TileMaker.Limits.DEFAULT);
  }

  private static Tile tile(EventStore store, TileAddress address, TileMaker.Limits limits) {
    try (TimelineBlocks blocks = store.openTimeline(ClockOffsets.UNKNOWN)) {
      return new TileMaker(blocks, address, limits).make(Set.of(), Set.of());
    }
  }

  private static TileAddress at(int level, long micros) {
    return new TileAddress(level, micros >> (level + 10));
  }

  @Test
  void tile_randomHistories_countsAsAScanDoes() {
    countAsAScan(15);
  }

  @Test
  @Tag("slow")
  void tile_manyRandomHistories_countsAsAScanDoes() {
    countAsAScan(300);
  }

  private void countAsAScan(int seeds) {
    Coverage coverage = new Coverage();
    for (int seed = 1; seed <= seeds; seed++) {
      Random random = new Random(seed);
      try (EventStore store = StoreFixture.open(directory.resolve("s" + seed), 50)) {
        List<Event> events = history(random);
        arrive(events, store, random);
        List<Event> stored = StoreFixture.events(store);
        for (int i = 0; i < 12; i++) {
          Event event = events.get(random.nextInt(events.size()));
          int level = random.nextInt(TimelineBins.MAX_LEVEL + 1);
          TileAddress address = at(i == 0 ? 20 : level, HlcTimestamp.micros(event.hlc()));
          try {
            check(tile(store, address), address, stored, coverage);
          } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ", " + address, e);
          }
        }
      }
    }
    assertThat(coverage.exactLanes).isGreaterThan(9 * seeds);
    assertThat(coverage.exactVariables).isGreaterThan(4 * seeds);
    assertThat(coverage.exactNodes).isGreaterThan(9 * seeds);
    assertThat(coverage.nodesTogether).isGreaterThan(2 * seeds);
    assertThat(coverage.exactSlowest).isGreaterThan(4 * seeds);
    assertThat(coverage.coarse).isGreaterThan(seeds / 6);
  }

  /** How often the tiles had what a random test is meant to compare. */
  private static final class Coverage {
    int exactLanes;
    int exactVariables;
    int exactNodes;
    int nodesTogether;
    int exactSlowest;
    int coarse;
  }

  /** Events of three nodes with messages, of which some are lost. */
  private static List<Event> history(Random random) {
    TreeMap<Long, Event> events = new TreeMap<>();
    long micros = BASE;
    for (int i = 0; i < 400; i++) {
      micros += random.nextInt(40) == 0 ? 3_000_000 : random.nextInt(900);
      String node = "n" + random.nextInt(3);
      long stamp = HlcTimestamp.pack(micros, random.nextInt(3));
      String log = random.nextInt(4) == 0 ? "b" : "a";
      switch (random.nextInt(9)) {
        case 0 -> {
          String to = random.nextInt(5) == 0 ? "" : "n9";
          events.put(stamp, new Event(node, log, stamp, new EventBody.Send(to, "m" + i)));
          if (random.nextInt(4) > 0) {
            long received = HlcTimestamp.pack(micros + random.nextInt(50_000), 3);
            events.put(
                received, new Event("n9", log, received, new EventBody.Receive(node, "m" + i)));
          }
        }
        case 1 ->
            events.put(stamp, new Event(node, log, stamp, new EventBody.LogLine("m", Map.of())));
        case 2 ->
            events.put(
                stamp,
                new Event(
                    node,
                    log,
                    stamp,
                    new EventBody.StateChange(
                        List.of(new Change(Operation.ADD, "s", Value.setOf(Value.of(1L)))))));
        case 3 -> events.put(stamp, set(node, log, stamp, "y", random.nextLong()));
        case 4 -> events.put(stamp, new Event(node, "", stamp, new EventBody.Stop()));
        default -> events.put(stamp, set(node, log, stamp, "x", random.nextInt(100)));
      }
    }
    return new ArrayList<>(events.values());
  }

  /** Stores the events, some of them late, while batches are sealed and removed. */
  private static void arrive(List<Event> events, EventStore store, Random random) {
    List<List<Event>> batches = new ArrayList<>();
    for (int from = 0, to; from < events.size(); from = to) {
      to = Math.min(events.size(), from + 1 + random.nextInt(20));
      batches.add(events.subList(from, to));
    }
    for (int i = 0; i + 8 < batches.size(); i += 8) {
      Collections.swap(batches, i, i + random.nextInt(8));
    }
    for (List<Event> batch : batches) {
      store.append(lines(batch)).join();
      if (random.nextInt(5) == 0) {
        store.seal(events.get(random.nextInt(events.size())).hlc());
      }
      if (random.nextInt(40) == 0) {
        store.retain(blocks -> Math.min(2, blocks.count()));
      }
    }
    if (random.nextInt(3) == 0) {
      sealAll(store);
    }
  }

  /** The counts of one bin, from a scan. */
  private static final class Counted {
    final Map<String, long[]> lanes = new TreeMap<>();
    final Map<String, List<long[]>> writes = new TreeMap<>();
    final Map<String, Map<String, List<long[]>>> writesOfNodes = new TreeMap<>();
    long slowest = TimelineBins.NO_MESSAGE;
    long unmatched;
  }

  private static void check(Tile tile, TileAddress address, List<Event> stored, Coverage coverage) {
    Map<String, Map<Integer, Counted>> scanned = scan(address, stored);
    scanned.forEach(
        (log, bins) ->
            bins.forEach(
                (bin, counted) -> {
                  if (isMissing(tile, log, bin)) {
                    coverage.coarse++;
                  } else {
                    compare(tile.logs().get(log), bin, counted, coverage);
                  }
                }));
    // Nothing is counted that is not stored.
    tile.logs()
        .forEach(
            (log, bins) ->
                bins.lanes()
                    .forEach(
                        (node, lane) -> {
                          for (int bin = 0; bin < bins.size(); bin++) {
                            if (lane.events(bin) > 0) {
                              assertThat(scanned.get(log).get(bin).lanes).containsKey(node);
                            }
                          }
                        }));
  }

  private static boolean isMissing(Tile tile, String log, int bin) {
    long from = (tile.address().tile() * TileAddress.BINS + bin) << tile.address().level();
    long to = from + (1L << tile.address().level()) - 1;
    return tile.missing().stream()
        .anyMatch(
            part ->
                part.log().equals(log)
                    && HlcTimestamp.micros(part.range().from()) <= to
                    && HlcTimestamp.micros(part.range().to()) >= from);
  }

  private static void compare(TimelineBins bins, int bin, Counted counted, Coverage coverage) {
    counted.lanes.forEach(
        (node, expected) -> {
          TimelineBins.Lane lane = bins.lanes().get(node);
          assertThat(
                  new long[] {
                    lane.events(bin), lane.sends(bin), lane.receives(bin), lane.lines(bin)
                  })
              .as(node + " in bin " + bin)
              .isEqualTo(expected);
          coverage.exactLanes++;
        });
    counted.writes.forEach(
        (name, writes) -> {
          if (bins.uncounted().contains(name)) {
            return;
          }
          TimelineVariable variable = bins.variables().get(name);
          assertThat(numbers(variable.all(), bin))
              .as(name + " in bin " + bin)
              .isEqualTo(numbers(writes));
          if (variable.hasOthers()) {
            // Some block has too few bytes for the nodes of its variables.
            variable
                .nodes()
                .forEach(
                    (node, some) ->
                        assertThat(some.writes(bin))
                            .isLessThanOrEqualTo(
                                counted
                                    .writesOfNodes
                                    .get(name)
                                    .getOrDefault(node, List.of())
                                    .size()));
            coverage.nodesTogether++;
            return;
          }
          counted
              .writesOfNodes
              .get(name)
              .forEach(
                  (node, ofNode) -> {
                    assertThat(numbers(variable.nodes().get(node), bin))
                        .as(name + " of " + node + " in bin " + bin)
                        .isEqualTo(numbers(ofNode));
                    coverage.exactNodes++;
                  });
          coverage.exactVariables++;
        });
    assertThat(bins.unmatched(bin)).isGreaterThanOrEqualTo(counted.unmatched);
    assertThat(bins.slowest(bin)).isLessThanOrEqualTo(counted.slowest);
    if (bins.unmatched(bin) == counted.unmatched) {
      assertThat(bins.slowest(bin)).isEqualTo(counted.slowest);
      coverage.exactSlowest += counted.slowest >= 0 ? 1 : 0;
    }
  }

  private static long[] numbers(Extremes extremes, int bin) {
    return new long[] {
      extremes.writes(bin), extremes.min(bin), extremes.max(bin), extremes.last(bin)
    };
  }

  private static long[] numbers(List<long[]> writes) {
    return new long[] {
      writes.size(),
      writes.stream().mapToLong(write -> write[0]).min().orElseThrow(),
      writes.stream().mapToLong(write -> write[0]).max().orElseThrow(),
      writes.get(writes.size() - 1)[0]
    };
  }

  private static Map<String, Map<Integer, Counted>> scan(TileAddress address, List<Event> stored) {
    Map<String, Map<Integer, Counted>> logs = new HashMap<>();
    Map<List<String>, Long> sends = new HashMap<>();
    for (Event event : stored) {
      if (event.body() instanceof EventBody.Send send) {
        sends.put(List.of(event.log(), event.node(), send.id()), event.hlc());
      }
      long bin = (HlcTimestamp.micros(event.hlc()) >> address.level());
      if (bin / TileAddress.BINS != address.tile()) {
        continue;
      }
      Counted counted =
          logs.computeIfAbsent(event.log(), log -> new TreeMap<>())
              .computeIfAbsent((int) (bin % TileAddress.BINS), i -> new Counted());
      long[] lane = counted.lanes.computeIfAbsent(event.node(), node -> new long[4]);
      lane[0]++;
      if (event.body() instanceof EventBody.Send) {
        lane[1]++;
      } else if (event.body() instanceof EventBody.Receive receive) {
        lane[2]++;
        Long sent = sends.get(List.of(event.log(), receive.from(), receive.id()));
        if (sent == null) {
          counted.unmatched++;
        } else {
          long micros = HlcTimestamp.micros(event.hlc()) - HlcTimestamp.micros(sent);
          counted.slowest = Math.max(counted.slowest, micros);
        }
      } else if (event.body() instanceof EventBody.LogLine) {
        lane[3]++;
      } else if (event.body() instanceof EventBody.StateChange state) {
        Change change = state.changes().get(0);
        if (change.value() instanceof Value.LongValue number) {
          long[] write = {number.value()};
          counted.writes.computeIfAbsent(change.variable(), name -> new ArrayList<>()).add(write);
          counted
              .writesOfNodes
              .computeIfAbsent(change.variable(), name -> new TreeMap<>())
              .computeIfAbsent(event.node(), node -> new ArrayList<>())
              .add(write);
        } else {
          counted.writes.put("s", new ArrayList<>());
        }
      }
    }
    return logs;
  }

  @Test
  void tile_sealedStore_readsNoBlock() {
    try (EventStore store = StoreFixture.open(directory, 50)) {
      for (int i = 0; i < 1_000; i++) {
        store.append(lines(set("n" + i % 3, "l", hlc(BASE + i * 1_000L), "x", i))).join();
      }
      sealAll(store);
      EventStore.Figures figures = store.figures();
      Tile tile = tile(store, ALL);

      assertThat(figures.sealedBlockCount()).isGreaterThan(10);
      assertThat(tile.blocksRead())
          .isEqualTo((int) (figures.blockCount() - figures.sealedBlockCount()));
      assertThat(tile.missing()).isEmpty();
    }
  }

  @Test
  void tile_finerThanSummaries_namesTheRangesAndALevel() {
    try (EventStore store = StoreFixture.open(directory, 50)) {
      for (int i = 0; i < 500; i++) {
        store.append(lines(set("n", "l", hlc(BASE + i * 1_000_000L), "x", i))).join();
      }
      sealAll(store);
      Tile fine = tile(store, at(2, BASE));
      assertThat(fine.missing()).isNotEmpty();
      int level = fine.finestLevel().orElseThrow();
      assertThat(tile(store, at(level, BASE)).missing())
          .allMatch(part -> part.range().from() > fine.missing().get(0).range().to());
    }
  }

  @Test
  void tile_withoutSummaries_readsBlocksUpToALimit() throws Exception {
    try (EventStore store = StoreFixture.open(directory, 50)) {
      StoreFixture.fill(store, 1, 1_000);
      sealAll(store);
    }
    try (Database database = Database.open(directory, Mode.STRICT);
        WriteBatch batch = new WriteBatch()) {
      batch.deleteRange(
          database.handle(StoreSchema.TIMELINES),
          StoreSchema.TIMELINES.keyBytes(0L),
          StoreSchema.TIMELINES.keyBytes(Long.MAX_VALUE));
      database.write(batch);
    }
    try (EventStore store = StoreFixture.open(directory, 50)) {
      Tile whole = tile(store, ALL);
      assertThat(events(whole)).isEqualTo(1_000);
      assertThat(whole.missing()).isEmpty();

      Tile part = tile(store, ALL, new TileMaker.Limits(20_000, 300));
      assertThat(part.missing()).isNotEmpty();
      assertThat(events(part)).isBetween(200L, 300L);
    }
  }

  static long events(Tile tile) {
    long sum = 0;
    for (TimelineBins bins : tile.logs().values()) {
      for (TimelineBins.Lane lane : bins.lanes().values()) {
        for (int bin = 0; bin < bins.size(); bin++) {
          sum += lane.events(bin);
        }
      }
    }
    return sum;
  }

  @Test
  void retain_sealedBlocks_removesTheirSummaries() {
    try (EventStore store = StoreFixture.open(directory, 50)) {
      StoreFixture.fill(store, 1, 1_000);
      sealAll(store);
      assertThat(store.retain(blocks -> 5)).isPositive();
    }
    try (Database database = Database.open(directory, Mode.STRICT)) {
      List<Long> sealed = new ArrayList<>();
      List<Long> summarised = new ArrayList<>();
      database.forEach(StoreSchema.SEALED, (id, bytes) -> sealed.add(id));
      database.forEach(StoreSchema.TIMELINES, (id, bytes) -> summarised.add(id));
      assertThat(summarised).isNotEmpty().isEqualTo(sealed);
    }
  }

  @Test
  void tile_summariesOverTheirLimit_areMissing() {
    try (EventStore store = StoreFixture.open(directory, 50)) {
      StoreFixture.fill(store, 1, 1_000);
      sealAll(store);
      Tile tile = tile(store, ALL, new TileMaker.Limits(2, 0));
      assertThat(tile.missing()).isNotEmpty();
      assertThat(events(tile)).isBetween(1L, 100L);
    }
  }

  @Test
  void tile_tooManyNodes_isRefused() {
    try (EventStore store = StoreFixture.open(directory)) {
      List<Event> events = new ArrayList<>();
      for (int i = 0; i <= TileMaker.MAX_LANES; i++) {
        events.add(set("n" + i, "l", hlc(i), "x", i));
      }
      store.append(lines(events.subList(1, events.size()))).join();
      assertThat(tile(store, ALL).logs().get("l").lanes()).hasSize(TileMaker.MAX_LANES);
      store.append(lines(events.subList(0, 1))).join();
      assertThatThrownBy(() -> tile(store, ALL)).hasMessageContaining("select fewer");
    }
  }

  @Test
  void tile_manyVariables_namesThoseThatAreLeftOut() {
    try (EventStore store = StoreFixture.open(directory)) {
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < TileMaker.MAX_VARIABLES + 2; i++) {
        events.add(set("n", "l", hlc(i), "v" + i, i));
      }
      store.append(lines(events)).join();
      TimelineBins bins = tile(store, ALL).logs().get("l");
      assertThat(bins.variables()).hasSize(TileMaker.MAX_VARIABLES);
      assertThat(bins.uncounted()).containsExactly("v32", "v33");

      try (TimelineBlocks blocks = store.openTimeline(ClockOffsets.UNKNOWN)) {
        TimelineBins wanted =
            new TileMaker(blocks, ALL, TileMaker.Limits.DEFAULT)
                .make(Set.of(), Set.of("v33", "v1"))
                .logs()
                .get("l");
        assertThat(wanted.variables()).containsOnlyKeys("v1", "v33");
        assertThat(wanted.uncounted()).isEmpty();
      }
    }
  }

  @Test
  void address_outside_isRefused() {
    assertThat(TileAddress.parse("42", "0").range().to()).isEqualTo(HlcTimestamp.MAX_PACKED);
    assertThatThrownBy(() -> TileAddress.parse("43", "0")).hasMessageContaining("0 to 42");
    assertThatThrownBy(() -> TileAddress.parse("42", "1")).hasMessageContaining("0 to 0");
    assertThatThrownBy(() -> TileAddress.parse("-1", "1")).hasMessageContaining("whole number");
    assertThatThrownBy(() -> TileAddress.parse("1", "x")).hasMessageContaining("whole number");
    assertThatThrownBy(() -> TileAddress.parse("4294967296", "0")).hasMessageContaining("0 to 42");
  }
}
