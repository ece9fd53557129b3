// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Presence;
import io.retroscope.server.store.run.Lifetimes;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LifetimesTest {
  @Test
  void touch_anyOrder_givesTheRangesOfTheSortedStamps() {
    long seed = Long.getLong("retroscope.seed", 11);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      Shelf shelf = new Shelf();
      Lifetimes lifetimes = new Lifetimes(shelf);
      NavigableSet<Long> stamps = new TreeSet<>();
      long promise = round % 2 * 50_000L;
      int slots = round % 3 == 0 ? 60 : 700;
      for (int i = 0; i < slots / 2; i++) {
        // Mostly ascending, as lines arrive; some late.
        int slot = random.nextInt(4) > 0 ? Math.min(slots, 2 * i) : random.nextInt(slots);
        long micros = 1_000_000_000L + slot * 60_000L;
        stamps.add(HlcTimestamp.pack(micros));
        long hlc = HlcTimestamp.pack(micros);
        lifetimes.touch("a", hlc, hlc, promise).ifPresent(shelf::put);
        if (random.nextInt(5) == 0) {
          shelf.flush(lifetimes);
        }
      }
      assertThat(rangesOf(lifetimes, "a", shelf))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(rangesOf(stamps, promise));
      shelf.flush(lifetimes);
      assertThat(lifetimes.snapshot().recentCount()).isLessThanOrEqualTo(Lifetimes.MAX_RECENT);
    }
  }

  @Test
  void removeThrough_anyStamp_leavesTheRangesThatEndLater() {
    long seed = Long.getLong("retroscope.seed", 13);
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      Shelf shelf = new Shelf();
      Lifetimes lifetimes = new Lifetimes(shelf);
      int count = 1 + random.nextInt(100);
      for (int i = 0; i < count; i++) {
        long from = HlcTimestamp.pack(i * 1_000_000L);
        long to = HlcTimestamp.pack(i * 1_000_000L + 50_000);
        lifetimes.touch("a", from, to, 0).ifPresent(shelf::put);
      }
      if (random.nextBoolean()) {
        shelf.flush(lifetimes);
      }
      List<Lifetimes.Lifetime> expected = new ArrayList<>(rangesOf(lifetimes, "a", shelf));
      long until = HlcTimestamp.pack(random.nextInt(110) * 500_000L);
      boolean keepsLast = random.nextBoolean();
      Lifetimes.Lifetime last = expected.get(count - 1);
      expected.removeIf(range -> range.range().to() <= until && !(keepsLast && range.equals(last)));
      lifetimes
          .removeThrough("a", until, keepsLast)
          .ifPresent(first -> shelf.ranges.headMap(first).clear());
      assertThat(rangesOf(lifetimes, "a", shelf))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(expected);
      assertThat(lifetimes.snapshot().extent().map(HlcRange::from))
          .isEqualTo(expected.stream().map(range -> range.range().from()).findFirst());
    }
  }

  @Test
  void sighted_randomBlocks_givesTheRangesOfTheirStamps() {
    long seed = Long.getLong("retroscope.seed", 12);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      Lifetimes lifetimes = new Lifetimes(new Shelf());
      LifetimeLog log = new LifetimeLog(lifetimes);
      Lifetimes expected = new Lifetimes(new Shelf());
      for (int i = 0; i < 12; i++) {
        List<Event> events = new ArrayList<>();
        int longest = random.nextInt(2) == 0 ? 2 : 40;
        long micros = 1_000_000_000L + random.nextInt(60) * 60_000L;
        for (int row = 0; row < 1 + random.nextInt(5); row++) {
          micros += 1 + random.nextInt(longest) * 10_000L;
          String node = random.nextInt(3) == i % 3 && i > 6 ? "b" : "a";
          events.add(StoreFixture.set(node, "l", HlcTimestamp.pack(micros), "x", 1));
          long hlc = HlcTimestamp.pack(micros);
          var unused = expected.touch(node, hlc, hlc, Lifetimes.NOTHING_PROMISED);
        }
        log.sighted(EventBlock.of(events));
      }
      for (String node : List.of("a", "b")) {
        assertThat(rangesOf(lifetimes, node, new Shelf()))
            .as("seed %d, round %d", seed, round)
            .isEqualTo(rangesOf(expected, node, new Shelf()));
      }
    }
  }

  @Test
  void touch_promiseWithdrawn_endsTheRangeSooner() {
    Lifetimes lifetimes = new Lifetimes(new Shelf());
    touch(lifetimes, 0, 5_000_000);
    touch(lifetimes, 14_000_000, 5_000_000);
    touch(lifetimes, 15_000_000, Lifetimes.NOTHING_PROMISED);
    touch(lifetimes, 29_000_000, 0);
    touch(lifetimes, 30_000_000, 0);
    assertThat(rangesOf(lifetimes, "a", new Shelf()))
        .containsExactly(lifetime(0, 29_000_000, 0), lifetime(30_000_000, 30_000_000, 0));
  }

  @Test
  void touch_promiseBeyondBelief_joinsNoMoreThanTheLongestBelieved() {
    Lifetimes lifetimes = new Lifetimes(new Shelf());
    touch(lifetimes, 0, Long.MAX_VALUE);
    touch(lifetimes, EventSource.MAX_ASSURED_MICROS + 1, 0);
    assertThat(rangesOf(lifetimes, "a", new Shelf())).hasSize(2);
  }

  @Test
  void snapshot_isLeftAsItWasByWhatComesLater() {
    Lifetimes lifetimes = new Lifetimes(new Shelf());
    touch(lifetimes, 0, 0);
    touch(lifetimes, 1_000_000, 0);
    Lifetimes.Snapshot before = lifetimes.snapshot();
    touch(lifetimes, 2_000_000, 0);
    touch(lifetimes, 950_000, 0);
    var unused = lifetimes.touch("b", HlcTimestamp.pack(5), HlcTimestamp.pack(5), 0);

    assertThat(rangesOf(before, "a", new Shelf()))
        .containsExactly(lifetime(0, 0, 0), lifetime(1_000_000, 1_000_000, 0));
    assertThat(rangesOf(before, "b", new Shelf())).isEmpty();
    assertThat(before.extent())
        .contains(new HlcRange(HlcTimestamp.pack(0), HlcTimestamp.pack(1_000_000)));
    assertThat(before.arrivals()).hasSize(1);
    assertThat(lifetimes.snapshot().arrivals())
        .extracting(EventSource.Sighting::node)
        .containsExactly("a", "b");
  }

  @Test
  void arrivals_areTheSameListUntilANodeArrives() {
    Lifetimes lifetimes = new Lifetimes(new Shelf());
    touch(lifetimes, 1_000_000, 0);
    List<EventSource.Sighting> before = lifetimes.snapshot().arrivals();
    for (int i = 2; i < 100; i++) {
      touch(lifetimes, i * 1_000_000L, 0);
    }
    assertThat(lifetimes.snapshot().arrivals()).isSameAs(before);
    touch(lifetimes, 500_000, 0);
    assertThat(lifetimes.snapshot().arrivals())
        .extracting(EventSource.Sighting::hlc)
        .containsExactly(HlcTimestamp.pack(500_000));
  }

  private static void touch(Lifetimes lifetimes, long micros, long promiseMicros) {
    long hlc = HlcTimestamp.pack(micros);
    var unused = lifetimes.touch("a", hlc, hlc, promiseMicros);
  }

  private static Lifetimes.Lifetime lifetime(long from, long to, long promiseMicros) {
    HlcRange range = new HlcRange(HlcTimestamp.pack(from), HlcTimestamp.pack(to));
    return new Lifetimes.Lifetime(range, promiseMicros);
  }

  private static List<Lifetimes.Lifetime> rangesOf(Lifetimes of, String node, Shelf shelf) {
    return rangesOf(of.snapshot(), node, shelf);
  }

  private static List<Lifetimes.Lifetime> rangesOf(
      Lifetimes.Snapshot of, String node, Shelf shelf) {
    List<Lifetimes.Lifetime> ranges = new ArrayList<>();
    of.presence(node, shelf)
        .ifPresent(
            presence ->
                presence
                    .from(HlcTimestamp.MIN_PACKED)
                    .forEachRemaining(stay -> ranges.add(lifetime(presence, stay))));
    return ranges;
  }

  /** Also compares the two ways to find a range. */
  private static Lifetimes.Lifetime lifetime(Presence presence, Presence.Stay stay) {
    assertThat(presence.latest(stay.from())).contains(stay);
    assertThat(presence.latest(stay.to())).contains(stay);
    return new Lifetimes.Lifetime(
        new HlcRange(stay.from(), stay.to()), EventSource.promiseMicros(stay.assuredMicros()));
  }

  /** The database of one node, in memory. */
  private static final class Shelf implements Lifetimes.Stored {
    private final NavigableMap<Long, Lifetimes.Lifetime> ranges = new TreeMap<>();
    private final List<Lifetimes.Touched> pending = new ArrayList<>();

    void put(Lifetimes.Touched touched) {
      pending.add(touched);
    }

    void flush(Lifetimes lifetimes) {
      for (Lifetimes.Touched touched : pending) {
        replace("a", touched.removed(), touched.lifetime());
      }
      pending.clear();
      lifetimes.release("a");
    }

    @Override
    public List<Lifetimes.Lifetime> read(String node, long hlc, long below) {
      Long floor = ranges.floorKey(hlc);
      return ranges.tailMap(floor == null ? hlc : floor).headMap(below).values().stream()
          .limit(Lifetimes.PAGE)
          .toList();
    }

    @Override
    public void freeze() {}

    @Override
    public void replace(String node, List<Long> begins, Lifetimes.Lifetime instead) {
      begins.forEach(ranges::remove);
      ranges.put(instead.range().from(), instead);
    }
  }

  private static List<Lifetimes.Lifetime> rangesOf(NavigableSet<Long> stamps, long promise) {
    long allowed = Math.max(Lifetimes.MAX_GAP_MICROS, 3 * promise);
    List<Lifetimes.Lifetime> ranges = new ArrayList<>();
    long from = stamps.first();
    long last = from;
    for (long stamp : stamps.tailSet(from, false)) {
      if (HlcTimestamp.micros(stamp) - HlcTimestamp.micros(last) > allowed) {
        ranges.add(new Lifetimes.Lifetime(new HlcRange(from, last), promise));
        from = stamp;
      }
      last = stamp;
    }
    ranges.add(new Lifetimes.Lifetime(new HlcRange(from, last), promise));
    return ranges;
  }
}
