// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Sighting;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SightingsTest {
  private static final int ROUNDS = 300;
  private static final int MINUTE_MICROS = 60_000_000;

  /** Otherwise a node would be silent for less than a microsecond. */
  @Test
  void sightings_withLogicalCounters_assureThatTheNodeIsLiveUpToTheNext() {
    Random random = new Random(5);
    int steps = 0;
    for (int round = 0; round < ROUNDS; round++) {
      long from = stamp(random, 0);
      long to = stamp(random, 10L * MINUTE_MICROS);
      List<Sighting> found = sightings(from, to, new HlcRange(from, to));
      for (int i = 1; i < found.size(); i++) {
        Sighting before = found.get(i - 1);
        long until = HlcTimestamp.micros(before.hlc()) + before.assuredMicros();
        assertThat(HlcTimestamp.pack(until))
            .as("round %d, %d of %s", round, i, found)
            .isGreaterThanOrEqualTo(found.get(i).hlc());
        assertThat(before.assuredMicros()).isLessThanOrEqualTo(MINUTE_MICROS + 1);
      }
      steps += found.size();
      assertThat(found.get(found.size() - 1)).isEqualTo(new Sighting("n", to, 7));
    }
    assertThat(steps).isGreaterThan(5 * ROUNDS);
  }

  @Test
  void sightings_areSeenAtTheEndsOfRangesOnly() {
    long from = HlcTimestamp.pack(1_000_000, 3);
    long to = HlcTimestamp.pack(100_000_000, 2);
    assertThat(sightings(from, to, new HlcRange(from - 1, to + 1)))
        .extracting(Sighting::isSeen)
        .containsExactly(true, false, true);
    assertThat(sightings(from, to, new HlcRange(from + 1, to - 1)))
        .extracting(Sighting::isSeen)
        .containsExactly(false, false, false);
  }

  private static long stamp(Random random, long above) {
    return HlcTimestamp.pack(1_000 + above + random.nextInt(MINUTE_MICROS), random.nextInt(4));
  }

  /** The sightings of a range that is one without a gap. */
  private static List<Sighting> sightings(long from, long to, HlcRange range) {
    Presences presences = new Presences();
    presences.see("n", from, Long.MAX_VALUE);
    presences.see("n", to, 7);
    List<Sighting> found = new ArrayList<>();
    new Sightings(presences.all(), range).forEachRemaining(found::add);
    return found;
  }
}
