package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LifetimesTest {
  @Test
  void touch_anyOrder_givesTheRangesOfTheSortedStamps() {
    long seed = Long.getLong("retroscope.seed", 11);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      Lifetimes lifetimes = new Lifetimes();
      NavigableSet<Long> stamps = new TreeSet<>();
      long promise = round % 2 * 50_000L;
      for (int i = 0; i < 50; i++) {
        long micros = 1_000_000_000L + random.nextInt(60) * 60_000L;
        stamps.add(HlcTimestamp.pack(micros));
        lifetimes.touch("a", HlcTimestamp.pack(micros), HlcTimestamp.pack(micros), promise);
      }
      assertThat(lifetimes.snapshot().of("a"))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(rangesOf(stamps, promise));
    }
  }

  @Test
  void sighted_randomBlocks_givesTheRangesOfTheirStamps() {
    long seed = Long.getLong("retroscope.seed", 12);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      Lifetimes lifetimes = new Lifetimes();
      LifetimeLog log = new LifetimeLog(lifetimes);
      Lifetimes expected = new Lifetimes();
      for (int i = 0; i < 12; i++) {
        List<Event> events = new ArrayList<>();
        int longest = random.nextInt(2) == 0 ? 2 : 40;
        long micros = 1_000_000_000L + random.nextInt(60) * 60_000L;
        for (int row = 0; row < 1 + random.nextInt(5); row++) {
          micros += 1 + random.nextInt(longest) * 10_000L;
          String node = random.nextInt(3) == i % 3 && i > 6 ? "b" : "a";
          events.add(StoreFixture.set(node, "l", HlcTimestamp.pack(micros), "x", 1));
          long hlc = HlcTimestamp.pack(micros);
          expected.touch(node, hlc, hlc, Lifetimes.NOTHING_PROMISED);
        }
        log.sighted(EventBlock.of(events));
      }
      for (String node : List.of("a", "b")) {
        assertThat(lifetimes.snapshot().of(node))
            .as("seed %d, round %d", seed, round)
            .isEqualTo(expected.snapshot().of(node));
      }
    }
  }

  @Test
  void touch_promiseWithdrawn_endsTheRangeSooner() {
    Lifetimes lifetimes = new Lifetimes();
    touch(lifetimes, 0, 5_000_000);
    touch(lifetimes, 14_000_000, 5_000_000);
    touch(lifetimes, 15_000_000, Lifetimes.NOTHING_PROMISED);
    touch(lifetimes, 29_000_000, 0);
    touch(lifetimes, 30_000_000, 0);
    assertThat(lifetimes.snapshot().of("a"))
        .containsExactly(lifetime(0, 29_000_000, 0), lifetime(30_000_000, 30_000_000, 0));
  }

  @Test
  void touch_promiseBeyondBelief_joinsNoMoreThanTheLongestBelieved() {
    Lifetimes lifetimes = new Lifetimes();
    touch(lifetimes, 0, Long.MAX_VALUE);
    touch(lifetimes, EventSource.MAX_ASSURED_MICROS + 1, 0);
    assertThat(lifetimes.snapshot().of("a")).hasSize(2);
  }

  @Test
  void snapshot_isLeftAsItWasByWhatComesLater() {
    Lifetimes lifetimes = new Lifetimes();
    touch(lifetimes, 0, 0);
    touch(lifetimes, 1_000_000, 0);
    Lifetimes.Snapshot before = lifetimes.snapshot();
    touch(lifetimes, 2_000_000, 0);
    touch(lifetimes, 950_000, 0);
    lifetimes.touch("b", HlcTimestamp.pack(5), HlcTimestamp.pack(5), 0);

    assertThat(before.of("a"))
        .containsExactly(lifetime(0, 0, 0), lifetime(1_000_000, 1_000_000, 0));
    assertThat(before.of("b")).isEmpty();
    assertThat(before.extent())
        .contains(new HlcRange(HlcTimestamp.pack(0), HlcTimestamp.pack(1_000_000)));
    assertThat(before.arrivals()).hasSize(1);
    assertThat(lifetimes.snapshot().arrivals())
        .extracting(EventSource.Sighting::node)
        .containsExactly("a", "b");
  }

  @Test
  void arrivals_areTheSameListUntilANodeArrives() {
    Lifetimes lifetimes = new Lifetimes();
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
    lifetimes.touch("a", hlc, hlc, promiseMicros);
  }

  private static Lifetimes.Lifetime lifetime(long from, long to, long promiseMicros) {
    HlcRange range = new HlcRange(HlcTimestamp.pack(from), HlcTimestamp.pack(to));
    return new Lifetimes.Lifetime(range, promiseMicros);
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
