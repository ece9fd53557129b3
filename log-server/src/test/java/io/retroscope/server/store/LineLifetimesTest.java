// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.server.store.run.Lifetimes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lifetimes of nodes that send lines without heartbeats, each of which is a range. */
class LineLifetimesTest {
  private static final long SECOND = 1_000_000;

  @TempDir Path data;

  /** A view and what it must show. */
  private record Opened(View view, Map<String, NavigableSet<Long>> stamps) {}

  @Test
  void views_ofLinesInAnyOrder_keepTheRangesOfTheirMoment() {
    long seed = Long.getLong("retroscope.seed", 21);
    Random random = new Random(seed);
    Map<String, NavigableSet<Long>> stamps = new TreeMap<>();
    for (int opening = 0; opening < 3; opening++) {
      List<Opened> opened = new ArrayList<>();
      try (EventStore store = StoreFixture.open(data, 100)) {
        assertRanges(store, stamps, seed);
        for (int batch = 0; batch < 60; batch++) {
          send(store, batch + 60 * opening, random, stamps);
          if (batch % 20 == 7) {
            StoreFixture.sealAll(store);
          }
          if (batch % 15 == 11) {
            opened.add(new Opened(store.open(ClockOffsets.UNKNOWN), copy(stamps)));
          }
        }
        for (Opened one : opened) {
          assertThat(ranges(one.view())).as("seed %d", seed).isEqualTo(expected(one.stamps()));
          one.view().close();
        }
        assertThat(store.lifetimesInMemory()).isLessThanOrEqualTo(3 * Lifetimes.MAX_RECENT);
      }
    }
  }

  @Test
  void expire_linesBeforeTheBegin_removesTheirRangesFromTheDatabase() {
    try (EventStore store = StoreFixture.open(data, 50)) {
      Map<String, NavigableSet<Long>> stamps = new TreeMap<>();
      for (int batch = 0; batch < 60; batch++) {
        send(store, batch, new Random(batch), stamps);
      }
      StoreFixture.sealAll(store);
      View before = store.open(ClockOffsets.UNKNOWN);
      assertThat(store.retain(Retention.ofAge(java.time.Duration.ofMinutes(5), () -> 900 * SECOND)))
          .isPositive();
      store.expire(run -> true);
      assertThat(ranges(before)).isEqualTo(expected(stamps));
      before.close();
      try (View after = store.open(ClockOffsets.UNKNOWN)) {
        Map<String, List<HlcRange>> rest = ranges(after);
        assertThat(rest).hasSize(3);
        rest.forEach((node, own) -> assertThat(own).hasSizeLessThan(stamps.get(node).size() / 2));
        rest.forEach(
            (node, own) ->
                assertThat(expected(stamps).get(node)).endsWith(own.toArray(HlcRange[]::new)));
      }
    }
    try (EventStore store = StoreFixture.open(data, 50);
        View again = store.open(ClockOffsets.UNKNOWN)) {
      ranges(again).values().forEach(own -> assertThat(own).hasSizeLessThan(300));
    }
  }

  /** Sends lines of one stretch of 15 s, some of which belong to earlier ones. */
  private static void send(
      EventStore store, int batch, Random random, Map<String, NavigableSet<Long>> stamps) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String node = "n" + random.nextInt(3);
      int stretch = random.nextInt(20) == 0 ? random.nextInt(batch + 1) : batch;
      long micros = stretch * 15L * SECOND + random.nextInt(300) * 50_000L;
      if (stamps.computeIfAbsent(node, name -> new TreeSet<>()).add(micros)) {
        events.add(StoreFixture.set(node, "l", HlcTimestamp.pack(micros), "x", i));
      }
    }
    store.append(StoreFixture.lines(events)).join();
  }

  private static void assertRanges(
      EventStore store, Map<String, NavigableSet<Long>> stamps, long seed) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(ranges(view)).as("seed %d", seed).isEqualTo(expected(stamps));
    }
  }

  private static Map<String, NavigableSet<Long>> copy(Map<String, NavigableSet<Long>> stamps) {
    Map<String, NavigableSet<Long>> copy = new TreeMap<>();
    stamps.forEach((node, own) -> copy.put(node, new TreeSet<>(own)));
    return copy;
  }

  private static Map<String, List<HlcRange>> ranges(View view) {
    Map<String, List<HlcRange>> ranges = new TreeMap<>();
    for (Presence presence : view.presences()) {
      List<HlcRange> own = new ArrayList<>();
      presence
          .from(HlcTimestamp.MIN_PACKED)
          .forEachRemaining(stay -> own.add(new HlcRange(stay.from(), stay.to())));
      ranges.put(presence.node(), own);
    }
    return ranges;
  }

  private static Map<String, List<HlcRange>> expected(Map<String, NavigableSet<Long>> stamps) {
    Map<String, List<HlcRange>> ranges = new TreeMap<>();
    stamps.forEach(
        (node, own) -> {
          List<HlcRange> found = new ArrayList<>();
          long from = own.first();
          long last = from;
          for (long micros : own) {
            if (micros - last > Presence.MAX_GAP_MICROS) {
              found.add(new HlcRange(HlcTimestamp.pack(from), HlcTimestamp.pack(last)));
              from = micros;
            }
            last = micros;
          }
          found.add(new HlcRange(HlcTimestamp.pack(from), HlcTimestamp.pack(last)));
          ranges.put(node, found);
        });
    return ranges;
  }
}
