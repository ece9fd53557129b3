// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the events that are chosen for the alignment of clocks. */
class ClockEvidenceTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final int MANY = 100_000;
  private static final int MANY_SLICES = 5_000;
  private static final EventBody WORK = new EventBody.LogLine("work", Map.of());

  private final long seed = Long.getLong("retroscope.seed", 20261128);

  private static Event event(String node, long micros, long readingMicros, EventBody body) {
    return new Event(
        node,
        "l",
        HlcTimestamp.pack(START_MICROS + micros),
        START_MICROS + readingMicros,
        0,
        Set.of(),
        body);
  }

  private static List<Long> stamps(ClockEvidence evidence) {
    return evidence.events().stream()
        .map(event -> HlcTimestamp.micros(event.hlc()) - START_MICROS)
        .toList();
  }

  @Test
  void events_ofOneSlice_areTheEndsAndTheGreatestLead() {
    ClockEvidence evidence = new ClockEvidence();
    long[] behind = {5_000, 4_500, 5_300, 5_100, 4_000, 3_000};
    for (int i = 0; i < behind.length; i++) {
      evidence.add(event("n", 10 * i, 10 * i - behind[i], WORK));
    }
    assertThat(stamps(evidence)).containsExactly(0L, 20L, 50L);
  }

  /** Both events are needed to find that a clock was set back, and until when it catches up. */
  @Test
  void events_clockIsSetBack_includeThoseAroundTheFallAndTheRise() {
    ClockEvidence evidence = new ClockEvidence();
    for (int i = 0; i < 50; i++) {
      evidence.add(event("n", i, i < 20 || i >= 40 ? i : i - 30_000, WORK));
    }
    assertThat(stamps(evidence)).containsExactly(0L, 19L, 20L, 39L, 40L, 49L);
  }

  /** Without them, the stamps that follow would be taken for readings of a higher clock. */
  @Test
  void events_stampsThatAreNoReadings_areKeptInTheMiddleOfASlice() {
    ClockEvidence evidence = new ClockEvidence();
    evidence.add(event("n", 0, 0, WORK));
    Event late =
        new Event(
            "n",
            "l",
            HlcTimestamp.pack(START_MICROS + 1),
            START_MICROS + 1,
            0,
            Set.of(EventMark.UNORDERED),
            WORK);
    evidence.add(late);
    long counted = HlcTimestamp.pack(START_MICROS + 2, (int) StampDoubts.HIGH_LOGICAL);
    evidence.add(new Event("n", "l", counted, START_MICROS + 2, 0, Set.of(), WORK));
    evidence.add(new Event("n", "l", counted + 1, START_MICROS + 2, 0, Set.of(), WORK));
    evidence.add(event("n", 3, 3, WORK));
    evidence.add(event("n", 4, 4, WORK));
    assertThat(stamps(evidence)).containsExactly(0L, 1L, 2L, 4L);
    assertThat(evidence.events().get(1).marks()).isEqualTo(late.marks());
  }

  @Test
  void add_blockOrEvents_choosesTheSame() {
    SimulatedCluster cluster =
        new SimulatedCluster(SimulatedCluster.Traits.drawn(seed, /* steps= */ true));
    List<Event> events =
        new ArrayList<>(cluster.recordings().stream().map(one -> one.event()).toList());
    events.sort((a, b) -> Long.compare(a.hlc(), b.hlc()));
    ClockEvidence one = new ClockEvidence(20);
    ClockEvidence other = new ClockEvidence(20);
    events.forEach(one::add);
    other.add(EventBlock.of(events.subList(0, events.size() / 2)));
    other.add(EventBlock.of(events.subList(events.size() / 2, events.size())));
    assertThat(one.events()).as("seed %d", seed).isEqualTo(other.events()).isNotEmpty();
    assertThat(one.version()).isEqualTo(other.version());
    assertThat(one.sampledHlc()).isEqualTo(other.sampledHlc());
  }

  /** Of two partitions with many messages, the chosen ones have both ends, back to the first. */
  @Test
  void messages_many_keepBothEndsInBoundedMemory() {
    Random random = new Random(seed);
    ClockEvidence senders = new ClockEvidence(100);
    ClockEvidence receivers = new ClockEvidence(100);
    long micros = 0;
    for (int i = 0; i < MANY; i++) {
      micros += random.nextInt(20_000);
      senders.add(event("a", micros, micros, new EventBody.Send("b", "m" + i)));
      receivers.add(event("b", micros + 1, micros, new EventBody.Receive("a", "m" + i)));
    }
    Set<String> sent = new HashSet<>();
    for (Event event : senders.events()) {
      if (event.body() instanceof EventBody.Send send) {
        sent.add(send.id());
      }
    }
    Set<String> received = new HashSet<>();
    for (Event event : receivers.events()) {
      if (event.body() instanceof EventBody.Receive receive) {
        received.add(receive.id());
      }
    }
    assertThat(sent).as("seed %d", seed).isEqualTo(received).hasSizeGreaterThan(400);
    assertThat(sent).contains("m" + (MANY - 1));
    assertThat(sent.stream().mapToInt(id -> Integer.parseInt(id.substring(1))).min().orElseThrow())
        .isLessThan(MANY / 10);
    assertThat(senders.events()).hasSizeLessThan(1_700);
    assertThat(senders.sampledHlc()).isLessThan(HlcTimestamp.pack(START_MICROS + micros));
  }

  /** The greatest lead before a message is not mistaken for a clock that was set back after it. */
  @Test
  void events_ofManySlices_areThinnedAtEachLevel() {
    ClockEvidence evidence = new ClockEvidence(10);
    for (int slice = 0; slice < MANY_SLICES; slice++) {
      long from = slice * 100_000L;
      evidence.add(event("n", from, from, WORK));
      evidence.add(event("n", from + 30_000, from + 29_900, WORK));
      evidence.add(event("n", from + 60_000, from + 60_000, new EventBody.Send("", "m" + slice)));
      evidence.add(event("n", from + 90_000, from + 90_000, WORK));
    }
    assertThat(evidence.events()).hasSizeLessThan(160);
  }

  /** A message whose reading is unknown can still contradict stamps. */
  @Test
  void events_withoutReading_areEndsOfMessagesAndStartsOnly() {
    ClockEvidence evidence = new ClockEvidence();
    Event send = new Event("n", "l", HlcTimestamp.pack(START_MICROS), new EventBody.Send("", "m"));
    evidence.add(new Event("n", "l", HlcTimestamp.pack(START_MICROS + 1), WORK));
    evidence.add(send);
    assertThat(evidence.events()).extracting(Event::body).containsExactly(send.body());
  }
}
