// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StampsAheadTest {
  private static final long SECOND = 1_000_000;

  private final StampsAhead ahead = new StampsAhead();

  /** Adds an event with a stamp and a reading in microseconds. */
  private void add(String node, long stampMicros, long readingMicros) {
    ahead.node(node).add(HlcTimestamp.pack(stampMicros), readingMicros);
  }

  /** Adds an event whose stamp is a reading. */
  private void read(String node, long micros) {
    add(node, micros, micros);
  }

  private static Ahead range(String node, long fromMicros, long toMicros, long aheadMicros) {
    return new Ahead(
        new HlcRange(HlcTimestamp.pack(fromMicros), HlcTimestamp.pack(toMicros)),
        Set.of(node),
        aheadMicros);
  }

  @Test
  void ranges_clockSetBack_isOneUntilItReachesTheStampsAgain() {
    read("p", 10 * SECOND);
    add("p", 10 * SECOND + 1, 2 * SECOND);
    add("p", 10 * SECOND + 2, 9 * SECOND);
    assertThat(ahead.ranges())
        .containsExactly(range("p", 10 * SECOND + 1, 10 * SECOND + 2, 8 * SECOND + 1));
    read("p", 11 * SECOND);
    add("p", 12 * SECOND, 11 * SECOND);
    assertThat(ahead.ranges())
        .containsExactly(range("p", 10 * SECOND + 1, 11 * SECOND, 8 * SECOND + 1));
    assertThat(ahead.ranges().get(0).sentence())
        .isEqualTo(
            "from 1970-01-01T00:00:02.000000Z to 1970-01-01T00:00:11.000000Z stamps were up to"
                + " 8.000 s ahead of every clock");
  }

  @Test
  void ranges_stampsOfAHigherClock_areNone() {
    read("p", 10 * SECOND);
    for (int i = 1; i < 100; i++) {
      add("q", 10 * SECOND + i, 3 * SECOND + i);
    }
    read("p", 11 * SECOND);
    assertThat(ahead.ranges()).isEmpty();
  }

  @Test
  void ranges_smallFall_isNone() {
    read("p", 10 * SECOND);
    add("p", 10 * SECOND + 1, 10 * SECOND - 900);
    assertThat(ahead.ranges()).isEmpty();
  }

  @Test
  void ranges_anotherClockShortlyBefore_boundsTheLead() {
    read("q", 9 * SECOND);
    read("p", 10 * SECOND);
    add("p", 10 * SECOND + 1, 2 * SECOND);
    assertThat(ahead.ranges())
        .containsExactly(range("p", 10 * SECOND + 1, 10 * SECOND + 1, SECOND + 1));
  }

  @Test
  void ranges_anotherClockThatIsSetBackAsWell_boundsNothing() {
    read("q", 10 * SECOND);
    read("p", 10 * SECOND);
    add("p", 10 * SECOND + 1, 2 * SECOND);
    add("q", 10 * SECOND + 2, 2 * SECOND);
    add("p", 10 * SECOND + 3, 3 * SECOND);
    assertThat(ahead.ranges())
        .contains(range("p", 10 * SECOND + 1, 10 * SECOND + 3, 8 * SECOND + 1));
  }

  @Test
  void ranges_anotherClockAfterwards_endsIt() {
    read("p", 10 * SECOND);
    add("p", 10 * SECOND + 1, 2 * SECOND);
    read("q", 11 * SECOND);
    add("p", 12 * SECOND, 3 * SECOND);
    assertThat(ahead.ranges())
        .containsExactly(range("p", 10 * SECOND + 1, 11 * SECOND, 8 * SECOND + 1));
  }

  @Test
  void ranges_clockThatGoesOn_isNotBehind() {
    for (long micros = 9 * SECOND; micros < 11 * SECOND; micros += 50_000) {
      read("q", micros);
    }
    read("p", 10 * SECOND);
    add("p", 10 * SECOND + 1, 2 * SECOND);
    assertThat(ahead.ranges()).isEmpty();
  }

  @Test
  void ranges_eventsOfOtherNodesBeforeOrAfter_areTheSame() {
    List<Runnable> ofQ = List.of(() -> read("q", 9 * SECOND), () -> read("q", 11 * SECOND));
    List<Runnable> ofP =
        List.of(
            () -> read("p", 10 * SECOND),
            () -> add("p", 10 * SECOND + 1, 2 * SECOND),
            () -> add("p", 12 * SECOND, 4 * SECOND));
    ofQ.forEach(Runnable::run);
    ofP.forEach(Runnable::run);
    StampsAheadTest other = new StampsAheadTest();
    other.read("p", 10 * SECOND);
    other.add("p", 10 * SECOND + 1, 2 * SECOND);
    other.add("p", 12 * SECOND, 4 * SECOND);
    other.read("q", 9 * SECOND);
    other.read("q", 11 * SECOND);
    assertThat(other.ahead.ranges())
        .isEqualTo(ahead.ranges())
        .containsExactly(range("p", 10 * SECOND + 1, 11 * SECOND, SECOND + 1));
  }

  @Test
  void add_repeatedOrWithoutReading_changesNothing() {
    read("p", 10 * SECOND);
    add("p", 10 * SECOND, 2 * SECOND);
    add("p", 11 * SECOND, Event.NO_PHYSICAL);
    assertThat(ahead.ranges()).isEmpty();
  }

  @Test
  void ranges_storedEventsAfterNewOnes_areFoundOnce() {
    read("p", 20 * SECOND);
    add("p", 20 * SECOND + 1, 19 * SECOND);
    read("q", 8 * SECOND);
    read("p", 10 * SECOND);
    add("p", 10 * SECOND + 1, 5 * SECOND);
    add("p", 10 * SECOND + 2, 9 * SECOND);
    read("p", 11 * SECOND);
    read("p", 20 * SECOND);
    add("p", 20 * SECOND + 1, 19 * SECOND);
    assertThat(ahead.ranges())
        .containsExactly(
            range("p", 10 * SECOND + 1, 11 * SECOND, 2 * SECOND + 1),
            range("p", 20 * SECOND + 1, 20 * SECOND + 1, SECOND + 1));
  }

  @Test
  void ranges_moreThanAreKept_areTheLatest() {
    for (int i = 0; i < StampsAhead.MAX_RANGES + 5; i++) {
      long micros = 1_000 * SECOND + 10L * i * SECOND;
      read("p", micros);
      add("p", micros + 1, micros - SECOND);
    }
    assertThat(ahead.ranges()).hasSize(StampsAhead.MAX_RANGES);
    assertThat(ahead.ranges().get(0).range().from())
        .isEqualTo(HlcTimestamp.pack(1_050 * SECOND + 1));
  }
}
