package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
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
      for (int i = 0; i < 50; i++) {
        long micros = 1_000_000_000L + random.nextInt(60) * 60_000L;
        stamps.add(HlcTimestamp.pack(micros));
        lifetimes.touch("a", HlcTimestamp.pack(micros), HlcTimestamp.pack(micros));
      }
      assertThat(lifetimes.snapshot().get("a"))
          .as("seed %d, round %d", seed, round)
          .isEqualTo(rangesOf(stamps));
    }
  }

  private static List<HlcRange> rangesOf(NavigableSet<Long> stamps) {
    List<HlcRange> ranges = new ArrayList<>();
    long from = stamps.first();
    long last = from;
    for (long stamp : stamps.tailSet(from, false)) {
      if (HlcTimestamp.micros(stamp) - HlcTimestamp.micros(last) > Lifetimes.MAX_GAP_MICROS) {
        ranges.add(new HlcRange(from, last));
        from = stamp;
      }
      last = stamp;
    }
    ranges.add(new HlcRange(from, last));
    return ranges;
  }
}
