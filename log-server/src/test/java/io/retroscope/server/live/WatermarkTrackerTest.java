// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.run.Incarnation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class WatermarkTrackerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long IDLE_MILLIS = 1_000;

  @TempDir Path directory;
  private long nowMillis = 50_000;
  private EventStore store;
  private WatermarkTracker tracker;

  @BeforeEach
  void open() {
    store = EventStore.open(directory, StoreOptions.DEFAULT, () -> 1_000_000_000L);
    tracker =
        new WatermarkTracker(
            () -> TimeUnit.MILLISECONDS.toNanos(nowMillis),
            () -> 1_000_000_000L,
            TimeUnit.MILLISECONDS.toNanos(IDLE_MILLIS),
            store.incarnations());
    store.addListener(tracker);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void advance_severalNodes_isTheLowestFrontier() {
    promise("a", 100);
    promise("b", 70);
    assertWatermark(70);

    promise("b", 120);
    assertWatermark(100);
  }

  /** Without a tick, for which the rows would have to wait. */
  @Test
  @Timeout(60)
  void heard_whileAThreadWaits_advancesAtOnceAndAgain() throws InterruptedException {
    Thread waiting = waiting(150);
    promise("a", 100);
    assertThat(HlcTimestamp.micros(tracker.current().hlc())).isEqualTo(100);
    promise("a", 200);
    waiting.join();
    assertThat(HlcTimestamp.micros(tracker.current().hlc())).isEqualTo(200);
  }

  @Test
  @Timeout(60)
  void awaitAbove_heardWhileNoThreadWaited_advancesAtOnce() throws InterruptedException {
    promise("a", 100);
    assertThat(HlcTimestamp.micros(tracker.current().hlc())).isZero();
    assertThat(tracker.awaitAbove(hlc(99), 20_000).hlc()).isEqualTo(hlc(100));
  }

  private Thread waiting(long micros) {
    Thread waiting =
        new Thread(
            () -> {
              try {
                tracker.awaitAbove(HlcTimestamp.pack(micros), 60_000);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    waiting.start();
    Awaitility.await().atMost(PATIENCE).until(tracker::isAwaited);
    return waiting;
  }

  @Test
  void isAwaited_whileAThreadWaitsAndShortlyAfter() throws InterruptedException {
    assertThat(tracker.isAwaited()).isFalse();
    Thread waiting = waiting(50);
    promise("a", 100);
    waiting.join();
    assertThat(tracker.isAwaited()).isTrue();
    nowMillis += TimeUnit.NANOSECONDS.toMillis(WatermarkTracker.AWAITED_NANOS);
    assertThat(tracker.isAwaited()).isFalse();
  }

  @Test
  void advance_silentNode_isLeftOutAndNamed() {
    promise("a", 100);
    promise("b", 70);
    tracker.advance();
    nowMillis += IDLE_MILLIS + 1;
    promise("a", 200);

    assertWatermark(200, "b");
  }

  @Test
  void advance_nodeWithinItsPromise_holdsTheWatermarkBeyondTheIdleTimeout() {
    promise("a", 100);
    promise("b", 70, 5_000_000);
    tracker.advance();
    nowMillis += 15_000;
    promise("a", 200);
    assertWatermark(70);

    nowMillis += 1;
    promise("a", 300);
    assertWatermark(300, "b");
  }

  @Test
  void advance_shorterPromise_takesThePlaceOfTheLonger() {
    promise("a", 100);
    promise("b", 70, 5_000_000);
    promise("b", 80, 20_000);
    tracker.advance();
    nowMillis += IDLE_MILLIS + 1;
    promise("a", 200);

    assertWatermark(200, "b");
  }

  @Test
  void advance_promiseBeyondBelief_isBelievedForAWhileOnly() {
    promise("a", 100);
    promise("b", 70, Long.MAX_VALUE);
    tracker.advance();
    nowMillis += TimeUnit.MICROSECONDS.toMillis(EventSource.MAX_ASSURED_MICROS) + 1;
    promise("a", 200);

    assertWatermark(200, "b");
  }

  @Test
  void advance_afterARestartOfTheServer_stillHoldsNodesToTheirPromise() {
    promise("a", 100);
    promise("b", 70, 5_000_000);
    close();
    open();
    nowMillis += 14_000;
    promise("a", 200);

    assertWatermark(70);
  }

  @Test
  void advance_nodeThatComesBack_waitsUntilItHasCaughtUp() {
    promise("a", 100);
    promise("b", 70);
    tracker.advance();
    nowMillis += IDLE_MILLIS + 1;
    promise("a", 200);
    tracker.advance();

    promise("b", 150);
    assertWatermark(200, "b");
    promise("b", 200);
    assertWatermark(200);
    promise("a", 300);
    assertWatermark(200);
  }

  @Test
  void advance_newNodeOnASlowerWay_isWaitedForUntilItCounts() {
    promise("a", 100);
    tracker.advance();
    promise("b", 70);
    promise("a", 130);
    assertWatermark(100, "b");
    promise("b", 100);
    promise("a", 160);
    assertWatermark(100);
    promise("b", 130);
    assertWatermark(130);
  }

  @Test
  void advance_newNodeThatDoesNotGetOn_isNotWaitedFor() {
    promise("a", 100);
    tracker.advance();
    promise("b", 70);
    nowMillis += IDLE_MILLIS + 1;
    promise("b", 70);
    promise("a", 200);

    assertWatermark(200, "b");
  }

  @Test
  void advance_newNodeFarBehind_isNotWaitedFor() {
    promise("a", 2 * IDLE_MILLIS * 1_000);
    tracker.advance();
    promise("b", 70);
    promise("a", 3 * IDLE_MILLIS * 1_000);

    assertWatermark(3 * IDLE_MILLIS * 1_000, "b");
  }

  @Test
  void advance_allSilent_doesNotMove() {
    promise("a", 100);
    tracker.advance();
    nowMillis += 100 * IDLE_MILLIS;

    assertWatermark(100, "a");
  }

  @Test
  void advance_allSilent_reachesTheLastStampWhoeverFellSilentLast() {
    promise("a", 100);
    promise("b", 70);
    assertWatermark(70);
    nowMillis += IDLE_MILLIS / 2;
    promise("b", 80);
    assertWatermark(80);
    nowMillis += IDLE_MILLIS + 1;

    assertWatermark(100, "a", "b");
  }

  @Test
  void advance_allSilentBehindAGap_reachesTheLastStoredEvent() {
    block("a", "i", 1, 40, new Event("a", "", hlc(30), new EventBody.Heartbeat()));
    block("a", "i", 3, 70, new Event("a", "", hlc(60), new EventBody.Heartbeat()));
    assertWatermark(40);
    nowMillis += IDLE_MILLIS + 1;

    assertWatermark(60, "a");
  }

  @Test
  void awaitKnown_afterARestart_waitsForNodesThatHadNotStopped() {
    promise("a", 100);
    promise("b", 70);
    close();
    open();
    tracker.awaitKnown(TimeUnit.SECONDS.toNanos(10));
    promise("a", 200);
    nowMillis += 9_999;
    promise("a", 250);
    assertWatermark(70);
    assertThat(tracker.isAwaitingKnown()).isTrue();

    nowMillis += 2;
    promise("a", 300);
    assertWatermark(300, "b");
    assertThat(tracker.isAwaitingKnown()).isFalse();
  }

  @Test
  void awaitKnown_ofANodeThatReturns_waitsNoLongerThanForOthers() {
    promise("a", 100);
    promise("b", 70);
    close();
    open();
    tracker.awaitKnown(TimeUnit.SECONDS.toNanos(10));
    promise("a", 200);
    promise("b", 150);
    assertWatermark(150);
    nowMillis += IDLE_MILLIS + 1;
    promise("a", 300);
    assertWatermark(300, "b");
  }

  @Test
  void openingHlc_whileNodesAreAwaited_isAboveWhatIsStored() {
    promise("a", 100);
    promise("b", 70);
    close();
    open();
    tracker.awaitKnown(TimeUnit.SECONDS.toNanos(10));
    assertWatermark(70);
    assertThat(tracker.openingHlc()).isEqualTo(hlc(100) + 1);
  }

  @Test
  void openingHlc_withNodesThatCount_isAboveTheWatermark() {
    promise("a", 1_000_000_100L);
    promise("b", 1_000_000_070L);
    assertWatermark(1_000_000_070L);
    assertThat(tracker.openingHlc()).isEqualTo(hlc(1_000_000_070L) + 1);
  }

  @Test
  void advance_newNodeBehind_neverPullsItBack() {
    promise("a", 100);
    tracker.advance();
    promise("b", 50);

    assertWatermark(100, "b");
  }

  @Test
  void advance_stoppedNode_countsNoMore() {
    promise("a", 100);
    block("b", "i", 1, 70, new Event("b", "", hlc(60), new EventBody.Stop()));

    assertWatermark(100);
  }

  @Test
  void advance_allStopped_reachesWhereTheLastOneDid() {
    promise("a", 100);
    block("b", "i", 1, 70, new Event("b", "", hlc(60), new EventBody.Stop()));
    assertWatermark(100);
    block("a", "i", 1, 180, new Event("a", "", hlc(170), new EventBody.Stop()));

    assertWatermark(180);
  }

  @Test
  void advance_stopBehindAGap_stillCounts() {
    promise("a", 100);
    block("b", "i", 1, 40, new Event("b", "", hlc(30), new EventBody.Heartbeat()));
    block("b", "i", 3, 70, new Event("b", "", hlc(60), new EventBody.Stop()));

    assertWatermark(40);
  }

  @Test
  void advance_blocksThatNeverArrive_delayItForAWhileOnly() {
    promise("a", 100);
    block("b", "i", 1, 40, new Event("b", "", hlc(30), new EventBody.Heartbeat()));
    block("b", "i", 3, 70, new Event("b", "", hlc(60), new EventBody.Heartbeat()));
    assertWatermark(40);
    nowMillis += TimeUnit.NANOSECONDS.toMillis(Lane.STUCK_NANOS);
    promise("a", 200);
    block("b", "i", 4, 150, new Event("b", "", hlc(140), new EventBody.Heartbeat()));
    assertWatermark(40);
    assertThat(tracker.stuck()).isEmpty();

    nowMillis += 1;
    assertWatermark(200, "b");
    assertThat(tracker.stuck()).extracting(Incarnation::firstMissing).containsExactly(2L);
    block("b", "i", 2, 50, new Event("b", "", hlc(45), new EventBody.Heartbeat()));
    assertWatermark(200, "b");
    block("b", "i", 5, 210, new Event("b", "", hlc(205), new EventBody.Heartbeat()));
    assertWatermark(200);
  }

  /** Its heartbeats come, but none of them can count: it must not delay all others. */
  @Test
  void advance_nodeWhoseClockStepsFarAhead_isSilentLikeOneThatIsNotHeard() {
    promise("a", 100);
    promise("b", 70);
    assertWatermark(70);
    nowMillis += IDLE_MILLIS;
    promise("a", 200);
    promise("b", 2_000_000_000);
    assertWatermark(70);
    nowMillis += 1;
    promise("a", 300);
    promise("b", 2_000_000_100);
    assertWatermark(300, "b");
    promise("b", 400);
    assertWatermark(300);
  }

  @Test
  void stuck_blocksOfARunThatHasStopped_areLostAfterTheSameTime() {
    promise("a", 100);
    block("b", "i", 1, 40, new Event("b", "", hlc(30), new EventBody.Heartbeat()));
    block("b", "i", 3, 70, new Event("b", "", hlc(60), new EventBody.Stop()));
    assertWatermark(40);
    nowMillis += TimeUnit.NANOSECONDS.toMillis(Lane.STUCK_NANOS);
    tracker.advance();
    assertThat(tracker.stuck()).isEmpty();

    nowMillis += 1;
    tracker.advance();
    assertThat(tracker.stuck()).extracting(Incarnation::firstMissing).containsExactly(2L);
  }

  @Test
  void stuck_blocksOfASupersededRun_areLostAfterTheSameTime() {
    block("a", "one", 1, 50, start(40, "one", "", Spill.COMPLETE));
    block("a", "one", 3, 70, new Event("a", "", hlc(60), new EventBody.Heartbeat()));
    block("a", "two", 1, 90, start(80, "two", "one", Spill.LOST));
    assertWatermark(90);
    nowMillis += TimeUnit.NANOSECONDS.toMillis(Lane.STUCK_NANOS) + 1;
    tracker.advance();

    assertThat(tracker.stuck()).extracting(Incarnation::firstMissing).containsExactly(2L);
  }

  @Test
  void advance_supersededRun_countsNoMore() {
    block("a", "one", 1, 50, start(40, "one", "", Spill.COMPLETE));
    assertWatermark(50);
    block("a", "two", 1, 90, start(80, "two", "one", Spill.COMPLETE));

    assertWatermark(90);
  }

  @Test
  void advance_predecessorsSpillPending_waitsForIt() {
    block("a", "one", 1, 50, start(40, "one", "", Spill.COMPLETE));
    tracker.advance();
    block("a", "two", 1, 90, start(80, "two", "one", Spill.PENDING));

    assertWatermark(50);
  }

  @Test
  void advance_afterARestart_countsFromStoredBlocks() {
    promise("a", 100);
    block("b", "i", 1, 70, new Event("b", "", hlc(60), new EventBody.Heartbeat()));
    store.close();
    open();

    assertWatermark(70);
  }

  /** The watermark passes silent nodes without anything that is stored. */
  @Test
  @Timeout(60)
  void awaitAbove_movedByAnotherThread_wakesUp() throws InterruptedException {
    promise("a", 100);
    promise("b", 70);
    Thread waiting = waiting(70);
    nowMillis += IDLE_MILLIS + 1;

    tracker.advance();
    waiting.join();
    assertWatermark(100, "a", "b");
  }

  @Test
  void unheard_nodeThatKeepsItsPromise_isNotAwaited() {
    promise("a", 100);
    promise("b", 70, 5_000_000);
    tracker.advance();
    nowMillis += 7_500;
    promise("a", 200);
    tracker.advance();
    assertThat(tracker.unheard(Set.of()).isEmpty()).isTrue();

    nowMillis += 1;
    promise("a", 300);
    tracker.advance();
    assertThat(tracker.unheard(Set.of()).awaited())
        .containsExactly(new Incompleteness.Silent("b", hlc(70)));
    promise("b", 310);
    tracker.advance();
    assertThat(tracker.unheard(Set.of()).isEmpty()).isTrue();
  }

  @Test
  void unheard_nodeThatIsLeftOut_isNamedIfItMatters() {
    promise("a", 100);
    promise("b", 70);
    tracker.advance();
    nowMillis += IDLE_MILLIS + 1;
    promise("a", 200);
    assertWatermark(200, "b");
    assertThat(tracker.unheard(Set.of()).isEmpty()).isTrue();
    assertThat(tracker.unheard(Set.of("b", "never known")).leftOut())
        .containsExactly(new Incompleteness.Silent("b", hlc(70)));
  }

  @Test
  void unheard_missingBlocks_areAwaitedAndThenLeftOut() {
    promise("a", 100);
    block("b", "i", 1, 40, new Event("b", "", hlc(30), new EventBody.Heartbeat()));
    block("b", "i", 3, 70, new Event("b", "", hlc(60), new EventBody.Heartbeat()));
    tracker.advance();
    nowMillis += TimeUnit.NANOSECONDS.toMillis(Lane.OVERDUE_NANOS) + 1;
    promise("a", 200);
    block("b", "i", 4, 90, new Event("b", "", hlc(80), new EventBody.Heartbeat()));
    assertWatermark(40);
    Incompleteness blocks = new Incompleteness.MissingBlocks("b", hlc(40), 1);
    assertThat(tracker.unheard(Set.of("b"))).isEqualTo(new Unheard(List.of(), List.of(blocks)));

    nowMillis += TimeUnit.NANOSECONDS.toMillis(Lane.STUCK_NANOS);
    promise("a", 300);
    assertWatermark(300, "b");
    assertThat(tracker.unheard(Set.of("b"))).isEqualTo(new Unheard(List.of(blocks), List.of()));
  }

  @Test
  void unheard_afterARestart_namesTheKnownNodesThatHaveNotReturned() {
    promise("a", 100);
    promise("b", 70);
    close();
    open();
    tracker.awaitKnown(TimeUnit.SECONDS.toNanos(10));
    assertWatermark(70);
    promise("a", 200);
    assertWatermark(70);
    assertThat(tracker.unheard(Set.of()).awaited())
        .containsExactly(new Incompleteness.Silent("b", hlc(70)));
    promise("b", 210);
    assertWatermark(200);
    assertThat(tracker.unheard(Set.of()).isEmpty()).isTrue();
  }

  @Test
  void unheard_topicThatIsNotRead_isAwaited() {
    SlowInflow topic = new SlowInflow();
    tracker.addInflow(topic);
    promise("a", 100);
    assertWatermark(100);
    nowMillis += IDLE_MILLIS + 1;
    assertWatermark(100);
    assertThat(tracker.unheard(Set.of()).awaited())
        .singleElement()
        .isInstanceOf(Incompleteness.AfterEnd.class);
  }

  @Test
  void unheard_inflowThatHolds_isNamed() {
    tracker.addInflow(
        new Inflow() {
          @Override
          public long completeAsOfNanos() {
            return TimeUnit.MILLISECONDS.toNanos(nowMillis);
          }

          @Override
          public long bound() {
            return HlcTimestamp.MIN_PACKED;
          }

          @Override
          public Optional<String> holding() {
            return Optional.of("partition 3 moves");
          }
        });
    promise("a", 100);
    assertThat(tracker.advance().hlc()).isEqualTo(HlcTimestamp.MIN_PACKED);
    assertThat(tracker.unheard(Set.of()).awaited())
        .extracting(Incompleteness::sentence)
        .containsExactly("partition 3 moves");
    assertThat(tracker.holdingInflows()).containsExactly("partition 3 moves");
  }

  private void assertWatermark(long micros, String... missing) {
    Watermark watermark = tracker.advance();
    assertThat(HlcTimestamp.text(watermark.hlc())).isEqualTo(HlcTimestamp.text(hlc(micros)));
    assertThat(watermark.missing()).containsExactly(missing);
  }

  private static long hlc(long micros) {
    return HlcTimestamp.pack(micros);
  }

  private static Event start(long micros, String incarnation, String before, Spill spill) {
    return new Event(
        "a",
        "",
        hlc(micros),
        new EventBody.Start(incarnation, HlcTimestamp.MIN_PACKED, before, spill));
  }

  @Test
  void advance_inflowThatIsBehind_makesNoNodeSilentAndIsNotPassed() {
    SlowInflow topic = new SlowInflow();
    tracker.addInflow(topic);
    promise("a", 100);
    promise("b", 70);
    assertWatermark(70);

    topic.boundMicros = 90;
    nowMillis += 60 * IDLE_MILLIS;
    promise("a", 200);
    promise("b", 150);
    assertWatermark(90);
    promise("b", 300);
    nowMillis += 60 * IDLE_MILLIS;
    assertWatermark(90);
  }

  @Test
  void isHeardFrom_whileEventsAreUnread_countsTheTimeUntilThen() {
    SlowInflow topic = new SlowInflow();
    tracker.addInflow(topic);
    topic.completeMillis = nowMillis;
    promise("a", 100);
    nowMillis += IDLE_MILLIS + 1;
    assertThat(tracker.isHeardFrom("a")).as("what is unread may be of it").isTrue();

    topic.completeMillis = nowMillis;
    assertThat(tracker.isHeardFrom("a")).as("it may return").isTrue();
    nowMillis += 2 * (IDLE_MILLIS + 1);
    topic.completeMillis = nowMillis;
    assertThat(tracker.isHeardFrom("a")).isFalse();
  }

  @Test
  void advance_inflowThatWorksAgain_givesNodesTimeToComeBack() {
    SlowInflow topic = new SlowInflow();
    tracker.addInflow(topic);
    promise("a", 100);
    promise("b", 70);
    tracker.advance();
    nowMillis += 5 * IDLE_MILLIS;
    tracker.advance();

    topic.completeMillis = nowMillis;
    promise("a", 200);
    assertWatermark(70);
    // Gone for five idle timeouts, and as many to return: then silent like any other node.
    nowMillis += 6 * IDLE_MILLIS;
    topic.completeMillis = nowMillis;
    promise("a", 300);
    assertWatermark(70);
    nowMillis += 2;
    topic.completeMillis = nowMillis;
    promise("a", 400);
    assertWatermark(400, "b");
  }

  @Test
  void advance_inflowAwayForLong_waitsAtMostForALimit() {
    SlowInflow topic = new SlowInflow();
    tracker.addInflow(topic);
    promise("a", 100);
    promise("b", 70);
    tracker.advance();
    nowMillis += 1_000 * IDLE_MILLIS;
    tracker.advance();
    topic.completeMillis = nowMillis;
    tracker.advance();
    nowMillis += TimeUnit.NANOSECONDS.toMillis(WatermarkTracker.MAX_RETURN_NANOS) + IDLE_MILLIS + 1;
    topic.completeMillis = nowMillis;
    promise("a", 200);

    assertWatermark(200, "b");
  }

  /** An inflow whose answers the test sets. */
  private static final class SlowInflow implements Inflow {
    private long completeMillis = 50_000;
    private long boundMicros = 1_000_000;

    @Override
    public long completeAsOfNanos() {
      return TimeUnit.MILLISECONDS.toNanos(completeMillis);
    }

    @Override
    public long bound() {
      return HlcTimestamp.pack(boundMicros);
    }
  }

  private void promise(String node, long micros) {
    promise(node, micros, 0);
  }

  private void promise(String node, long micros, long promiseMicros) {
    append(EventBlock.heartbeat(node, "i", 0, hlc(micros), 0, promiseMicros));
  }

  private void block(String node, String incarnation, long number, long promise, Event event) {
    assertThat(event.node()).isEqualTo(node);
    append(
        new EventBlockBuilder()
            .incarnation(incarnation, number)
            .add(event)
            .promise(hlc(promise), 0)
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
