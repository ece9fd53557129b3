// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FastClocksTest {
  private static final long SECOND = 1_000_000;
  private static final long IDLE = SECOND;
  private static final long AHEAD = 55 * SECOND;

  @TempDir Path directory;

  /** True time, and the error of the server's clock. */
  private long now = 1_000 * SECOND;

  private long serverOff;
  private long blocks;
  private final Map<String, Long> numbers = new HashMap<>();
  private EventStore store;
  private WatermarkTracker tracker;

  @BeforeEach
  void open() {
    store = EventStore.open(directory, StoreOptions.DEFAULT, () -> Long.MAX_VALUE >> 12);
    tracker =
        new WatermarkTracker(
            () -> TimeUnit.MICROSECONDS.toNanos(now),
            () -> now + serverOff,
            TimeUnit.MICROSECONDS.toNanos(IDLE),
            store.incarnations());
    store.addListener(tracker);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void fastNodeAlone_staysBehindTheServersClock() {
    promise("fast", now + AHEAD);
    assertThat(watermark()).isEqualTo(now - IDLE);
    assertThat(tracker.heldMicros()).isEqualTo(AHEAD + IDLE);
    assertThat(tracker.holders()).containsOnly(Map.entry("fast", AHEAD + IDLE));
    assertThat(tracker.clockTrouble()).isEmpty();
  }

  @Test
  void fastNodeAlone_getsAllItsRowsAfterAWhile() {
    long frontier = now + AHEAD;
    promise("fast", frontier);
    for (int i = 0; i < 57; i++) {
      now += SECOND;
      promise("fast", frontier + i);
      watermark();
    }
    assertThat(watermark()).isGreaterThanOrEqualTo(frontier);
  }

  @Test
  void fastNodeFirst_nothingOfOthersIsTooLate() {
    promise("fast", now + AHEAD);
    assertNothingIsTooLate(new Random(1));
  }

  @Test
  void fastNodeAfterARestart_nothingOfOthersIsTooLate() {
    promise("fast", now + AHEAD);
    promise("good", now);
    watermark();
    close();
    open();
    now += 3 * SECOND;
    promise("fast", now + AHEAD);
    watermark();
    assertNothingIsTooLate(new Random(2));
  }

  @Test
  void fastNodeThatStops_nothingOfOthersIsTooLate() {
    stop("fast", now + AHEAD);
    assertThat(watermark()).isEqualTo(now - IDLE);
    assertNothingIsTooLate(new Random(3));
  }

  /** A good node sends occasionally, and is silent for up to three idle timeouts. */
  private void assertNothingIsTooLate(Random random) {
    for (int i = 0; i < 21; i++) {
      long until = now + random.nextInt(3 * (int) SECOND);
      for (; now < until; now += 50_000) {
        promise("fast", now + AHEAD);
        watermark();
      }
      assertThat(watermark()).as("event %d", i).isLessThan(now);
      promise("good", now);
      tracker.advance();
      assertThat(tracker.current().missing()).as("event %d", i).isEmpty();
    }
  }

  @Test
  void fastNodeAmongOthers_holdsTheirRowsForTheIdleTimeoutOnly() {
    promise("fast", now + AHEAD);
    promise("a", now);
    promise("b", now);
    assertThat(watermark()).isEqualTo(now - IDLE);
    assertThat(tracker.heldMicros()).isEqualTo(IDLE);
    assertThat(tracker.holders()).containsOnlyKeys("fast");

    // Once it is silent, it does not hold the watermark.
    now += IDLE + 1;
    promise("a", now);
    promise("b", now);
    assertThat(watermark()).isEqualTo(now);
    assertThat(tracker.heldMicros()).isZero();
    assertThat(tracker.holders()).isEmpty();
  }

  @Test
  void heldRows_ofNodesThatHaveFallenSilent_comeAllTheSame() {
    long last = now;
    promise("fast", now + AHEAD);
    promise("good", last);
    assertThat(watermark()).isEqualTo(last - IDLE);
    now += 3 * IDLE;
    assertThat(watermark()).isEqualTo(now - IDLE);
    assertThat(tracker.current().missing()).containsExactly("fast", "good");
    assertThat(tracker.holders()).isEmpty();

    // Those of the fast node come when the server's clock has passed them.
    now = last + AHEAD + IDLE;
    assertThat(watermark()).isEqualTo(last + AHEAD);
    assertThat(tracker.heldMicros()).isZero();
  }

  @Test
  void clocksThatDifferByLittle_holdNothing() {
    promise("a", now + FastClocks.TOLERATED_MICROS);
    promise("b", now);
    assertThat(watermark()).isEqualTo(now);
    assertThat(tracker.heldMicros()).isZero();
  }

  @Test
  void serverSlow_isIgnoredAndReported() {
    serverOff = -30 * SECOND;
    promise("a", now);
    assertThat(tracker.clockTrouble()).isEmpty();
    promise("b", now);
    assertThat(watermark()).isEqualTo(now);
    assertThat(tracker.heldMicros()).isZero();
    assertThat(tracker.clockTrouble())
        .hasValueSatisfying(trouble -> assertThat(trouble).contains("by 30 s"));

    // A single remaining node is still trusted over the server.
    now += IDLE / 2;
    stop("b", now);
    promise("a", now);
    now += SECOND;
    promise("a", now);
    assertThat(watermark()).isEqualTo(now);
  }

  @Test
  void serverStepsBack_followsTheNodesAndNeverFalls() {
    promise("a", now);
    promise("b", now);
    promise("c", now);
    assertThat(watermark()).isEqualTo(now);
    serverOff = -30 * SECOND;
    long before = now;
    now += SECOND / 2;
    promise("a", now);
    assertThat(watermark()).isEqualTo(before);
    promise("b", now);
    promise("c", now);
    assertThat(watermark()).isEqualTo(now);
    assertThat(tracker.clockTrouble()).isPresent();

    serverOff = 0;
    now += SECOND / 2;
    promise("a", now);
    promise("b", now);
    promise("c", now);
    assertThat(watermark()).isEqualTo(now);
    assertThat(tracker.clockTrouble()).isEmpty();
  }

  @Test
  void serverStepsBackBeforeALoneNode_staysUntilItsClockIsThere() {
    promise("a", now);
    long before = watermark();
    serverOff = -30 * SECOND;
    for (int i = 0; i < 62; i++) {
      now += SECOND / 2;
      promise("a", now);
      assertThat(watermark()).isEqualTo(Math.max(before, now - 31 * SECOND));
    }
    assertThat(watermark()).isEqualTo(before);
    now += SECOND / 2;
    promise("a", now);
    assertThat(watermark()).isEqualTo(before + SECOND / 2);
  }

  @Test
  void twoFastNodesFirst_manyOthersCorrectThem() {
    promise("fast1", now + AHEAD);
    promise("fast2", now + AHEAD);
    assertThat(watermark()).isEqualTo(now + AHEAD);
    for (int i = 0; i < 3; i++) {
      promise("good" + i, now);
    }
    now += SECOND / 2;
    promise("fast1", now + AHEAD);
    promise("fast2", now + AHEAD);
    // It does not advance with them, so that the others can return.
    assertThat(watermark()).isEqualTo(now - SECOND / 2 + AHEAD);
  }

  @Test
  void oldRecording_saysNothingOfClocks() {
    serverOff = -30 * SECOND;
    promise("a", now);
    promise("b", now);
    watermark();
    for (int i = 0; i < 10; i++) {
      promise("old" + i, now - 1_000 * SECOND / 2);
    }
    now += SECOND / 10;
    promise("a", now);
    promise("b", now);
    assertThat(watermark()).isEqualTo(now);
  }

  @Test
  void randomNodes_watermarkNeverFallsAndNeverPassesWhatCounts() {
    long seed = Long.getLong("retroscope.seed", 20261122);
    Random random = new Random(seed);
    long[] off = {0, 1_000, AHEAD, -5 * SECOND, 300_000};
    long highest = Long.MIN_VALUE;
    for (int i = 0; i < 2_000; i++) {
      int node = random.nextInt(off.length);
      now += random.nextInt(random.nextInt(20) == 0 ? 3 * (int) SECOND : 40_000);
      serverOff += random.nextInt(100) == 0 ? (random.nextInt(21) - 10) * SECOND : 0;
      promise("n" + node, now + off[node]);
      long watermark = watermark();
      assertThat(watermark).as("seed %d, step %d", seed, i).isGreaterThanOrEqualTo(highest);
      highest = watermark;
    }
  }

  @Test
  void oneFastClock_thatRaisesTheStampsOfAll_isNamedAloneAndNoTrouble() {
    for (int i = 0; i < 3; i++) {
      now += SECOND / 4;
      event("fast", now + 30 * SECOND, now + 30 * SECOND);
      event("a", now + 30 * SECOND + 1, now);
      event("b", now + 30 * SECOND + 2, now - 5);
      watermark();
    }
    assertThat(tracker.clockTrouble()).isEmpty();
    assertThat(tracker.lanes())
        .filteredOn(lane -> lane.leadMicros() > 0)
        .singleElement()
        .satisfies(lane -> assertThat(lane.incarnation().name().node()).isEqualTo("fast"))
        .satisfies(lane -> assertThat(lane.leadMicros()).isEqualTo(30 * SECOND));

    event("a", now + 31 * SECOND, now);
    event("b", now + 31 * SECOND, now);
    now += IDLE + 1;
    event("fast", now + 30 * SECOND, now + 30 * SECOND);
    watermark();
    assertThat(tracker.clockTrouble()).isEmpty();
  }

  @Test
  void fastClockOfOneNode_holdsRowsInItsNameOnly() {
    event("fast", now + AHEAD, now + AHEAD);
    event("a", now + AHEAD + 1, now);
    promise("good1", now);
    promise("good2", now);
    promise("good3", now);
    watermark();
    assertThat(tracker.holders()).containsOnlyKeys("fast");
  }

  @Test
  void slowServer_isReportedByTheReadingsOfItsNodes() {
    serverOff = -30 * SECOND;
    event("a", now, now);
    event("b", now, now);
    event("c", now, now - 30 * SECOND);
    watermark();
    assertThat(tracker.clockTrouble())
        .hasValueSatisfying(trouble -> assertThat(trouble).contains("(a, b)", "by 30 s"));
    event("b", now + 1, now - 30 * SECOND);
    watermark();
    assertThat(tracker.clockTrouble()).isEmpty();
  }

  private void event(String node, long stampMicros, long readingMicros) {
    append(
        new EventBlockBuilder()
            .incarnation("i", numbers.merge(node, 1L, Long::sum))
            .add(
                new Event(
                    node,
                    "t",
                    HlcTimestamp.pack(stampMicros - 1),
                    readingMicros,
                    Event.NO_SEQUENCE,
                    Set.of(),
                    new EventBody.LogLine("x", Map.of())))
            .promise(HlcTimestamp.pack(stampMicros), 0)
            .build());
  }

  private long watermark() {
    return HlcTimestamp.micros(tracker.advance().hlc());
  }

  private void promise(String node, long micros) {
    append(EventBlock.heartbeat(node, "i", 0, HlcTimestamp.pack(micros), 0, 0));
  }

  private void stop(String node, long micros) {
    append(
        new EventBlockBuilder()
            .incarnation("i", ++blocks)
            .add(new Event(node, "", HlcTimestamp.pack(micros - 1), new EventBody.Stop()))
            .promise(HlcTimestamp.pack(micros), 0)
            .build());
  }

  private void append(EventBlock block) {
    store
        .append(
            new Submission.Frames(
                List.of(new Submission.EncodedFrame(block, EventBlockCodec.encode(block)))))
        .join();
  }
}
