// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the stamp up to which a node's events are complete, and of its missing blocks. */
@Timeout(60)
class FrontierTest {
  @TempDir Path directory;
  private EventStore store;

  @BeforeEach
  void open() {
    store = StoreFixture.open(directory);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void frontier_blocksOvertakeEachOther_waitsForTheGap() {
    store.append(frames(block("i", 1, hlc(19), List.of(set("a", "l", hlc(10), "x", 1))))).join();
    store.append(frames(block("i", 3, hlc(39), List.of(set("a", "l", hlc(30), "x", 3))))).join();
    assertThat(frontier()).isEqualTo(hlc(19));

    store.append(frames(block("i", 2, hlc(29), List.of(set("a", "l", hlc(20), "x", 2))))).join();
    assertThat(frontier()).isEqualTo(hlc(39));
  }

  @Test
  void frontier_lostBlocksAndRestart_fillTheGap() {
    store.append(frames(block("i", 3, hlc(39), List.of(set("a", "l", hlc(30), "x", 3))))).join();
    assertThat(frontier()).isEqualTo(EventBlock.NO_HEARTBEAT);
    close();
    open();
    LostBlocks lost = new LostBlocks("a", "i", 1, 2, 7, hlc(10), hlc(20));
    EncodedFrame frame = new EncodedFrame(lost, EventBlockCodec.encode(lost));

    store.append(frames(frame)).join();
    store.append(frames(frame)).join();

    assertThat(frontier()).isEqualTo(hlc(39));
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.gaps(HlcRange.ALL)).hasSize(1);
      assertThat(view.gaps(HlcRange.ALL).get(0).eventCount()).isEqualTo(7);
      assertThat(view.gaps(new HlcRange(hlc(21), hlc(99)))).isEmpty();
    }
    assertThat(store.figures().lostEventCount()).isEqualTo(7);
  }

  @Test
  void block_afterItWasDeclaredLost_isStored() {
    store.append(frames(block("i", 2, hlc(39), List.of(set("a", "l", hlc(30), "x", 3))))).join();
    LostBlocks lost = new LostBlocks("a", "i", 1, 1, 0, hlc(10), hlc(20));
    store.append(frames(new EncodedFrame(lost, EventBlockCodec.encode(lost)))).join();

    Receipt receipt =
        store
            .append(frames(block("i", 1, hlc(19), List.of(set("a", "l", hlc(10), "x", 1)))))
            .join();

    assertThat(receipt.accepted()).isEqualTo(1);
    assertThat(frontier()).isEqualTo(hlc(39));
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.scan(Set.of("l"), HlcRange.ALL)).toIterable().hasSize(2);
    }
  }

  @Test
  void gaps_numbersMissing_areReportedOnceNothingIsInFlight() {
    store.append(frames(block("i", 1, hlc(19), List.of(event(1, 10), event(3, 12))))).join();
    store.append(frames(block("i", 3, hlc(39), List.of(event(9, 30), event(10, 31))))).join();
    assertThat(gaps()).containsExactly(new Gap("a", new HlcRange(hlc(10), hlc(12)), 1));

    store.append(frames(block("i", 2, hlc(29), List.of(event(4, 20), event(5, 21))))).join();
    List<Gap> both =
        List.of(
            new Gap("a", new HlcRange(hlc(10), hlc(12)), 1),
            new Gap("a", new HlcRange(hlc(21), hlc(30)), 3));
    assertThat(gaps()).isEqualTo(both);
    close();
    open();
    assertThat(gaps()).isEqualTo(both);
  }

  @Test
  void gaps_declaredLost_areReportedOnce() {
    LostBlocks lost = new LostBlocks("a", "i", 2, 2, 2, hlc(20), hlc(21));
    store.append(frames(block("i", 1, hlc(19), List.of(event(1, 10), event(2, 12))))).join();
    store.append(frames(new EncodedFrame(lost, EventBlockCodec.encode(lost)))).join();
    store.append(frames(block("i", 3, hlc(39), List.of(event(5, 30))))).join();
    assertThat(gaps()).containsExactly(new Gap("a", new HlcRange(hlc(20), hlc(21)), 2));

    store.append(frames(block("i", 4, hlc(49), List.of(event(7, 40))))).join();
    assertThat(gaps())
        .containsExactly(
            new Gap("a", new HlcRange(hlc(20), hlc(21)), 2),
            new Gap("a", new HlcRange(hlc(30), hlc(40)), 1));
  }

  @Test
  void gaps_dropsAfterTheLastEvent_areReportedByTheHeartbeat() {
    store.append(frames(block("i", 1, hlc(19), List.of(event(1, 10))))).join();
    store.append(frames(StoreFixture.frame(EventBlock.heartbeat("a", "i", 1, hlc(50), 4)))).join();
    assertThat(gaps()).containsExactly(new Gap("a", new HlcRange(hlc(10), hlc(50)), 3));
  }

  @Test
  void gaps_quarantinedEvents_areNotLost() {
    long future = NOW_MICROS + 61_000_000;
    store.append(frames(block("i", 1, hlc(19), List.of(event(1, 10), event(2, future))))).join();
    store.append(frames(block("i", 2, hlc(29), List.of(event(3, 20))))).join();
    assertThat(gaps()).isEmpty();
  }

  @Test
  void gaps_ofLines_beginAnewWithAStart() {
    store.append(lines(event(1, 10), event(2, 20))).join();
    store
        .append(
            lines(
                new Event("a", "", hlc(30), new EventBody.Start("j", hlc(29), "", Spill.COMPLETE)),
                event(2, 40)))
        .join();
    assertThat(gaps()).containsExactly(new Gap("a", new HlcRange(hlc(30), hlc(40)), 1));
  }

  @Test
  void frontier_emptyBlock_promisesWithoutBeingStored() {
    store.append(frames(block("i", 1, hlc(19), List.of(set("a", "l", hlc(10), "x", 1))))).join();
    store.append(frames(StoreFixture.frame(EventBlock.heartbeat("a", "i", 1, hlc(50), 0)))).join();

    assertThat(frontier()).isEqualTo(hlc(50));
    assertThat(store.figures().blockCount()).isEqualTo(1);
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.extent()).contains(new HlcRange(hlc(10), hlc(50)));
    }
  }

  private static Event event(long sequence, long micros) {
    return StoreFixture.numbered(sequence, set("a", "l", hlc(micros), "x", sequence));
  }

  private List<Gap> gaps() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return view.gaps(HlcRange.ALL);
    }
  }

  private long frontier() {
    return store.incarnations().iterator().next().frontier();
  }
}
