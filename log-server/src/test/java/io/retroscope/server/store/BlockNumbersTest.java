// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that blocks are recognised when they are sent again, although the checksums of old ones are
 * forgotten.
 */
@Timeout(120)
class BlockNumbersTest {
  private static final int BLOCKS = (int) (5 * Changes.CHECKED_BLOCKS / 2);
  private static final int OLD = 3;

  @TempDir Path directory;
  private EventStore store;

  @BeforeEach
  void open() {
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(new SealLimits(64, 256, 64));
    store = EventStore.open(directory, options, () -> StoreFixture.NOW_MICROS);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void numbers_ofALongRun_areBounded() {
    sendAll();
    close();
    assertThat(entries()).isBetween(Changes.CHECKED_BLOCKS, 2 * Changes.CHECKED_BLOCKS);
    open();
  }

  @Test
  void numbers_ofALongRunWithAGapThatIsNeverClosed_areBounded() {
    store.append(frames(blockOf(1, 1))).join();
    for (int i = 3; i <= BLOCKS; i++) {
      store.append(frames(blockOf(i, i))).join();
    }
    assertThat(store.append(frames(blockOf(5, 5))).join()).isEqualTo(new Receipt(0, 1, 0));
    assertThat(store.append(frames(blockOf(2, 2))).join()).isEqualTo(new Receipt(1, 0, 0));
    close();
    assertThat(entries()).isBetween(Changes.CHECKED_BLOCKS, 2 * Changes.CHECKED_BLOCKS);
    open();
  }

  @Test
  void append_allBlocksAgain_storesNothing() {
    sendAll();
    for (int reopened = 0; reopened < 2; reopened++) {
      for (int i = 1; i <= BLOCKS; i++) {
        assertThat(store.append(frames(blockOf(i, i))).join()).isEqualTo(new Receipt(0, 1, 0));
      }
      assertThat(stored()).hasSize(BLOCKS);
      while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
        // The next batch.
      }
      close();
      open();
    }
  }

  @Test
  void append_otherContentUnderAnOldNumber_isRefused() {
    sendAll();
    assertThatThrownBy(() -> store.append(frames(blockOf(OLD, BLOCKS + 1))).join())
        .hasMessageContaining("block 3 of node \"n\", incarnation \"i\", is already stored")
        .hasMessageContaining("not with the event at " + HlcTimestamp.text(hlc(stamp(BLOCKS + 1))));
    Event other = set("n", "l", hlc(stamp(OLD)), "x", -1);
    assertThatThrownBy(() -> store.append(frames(block("i", OLD, hlc(0), List.of(other)))).join())
        .hasMessageContaining("has another event");
    assertThat(stored()).hasSize(BLOCKS);
  }

  @Test
  void append_oldBlockWhoseEventsWereRemoved_storesNothing() {
    sendAll();
    assertThat(store.retain(blocks -> OLD)).isPositive();
    for (int i = 1; i <= OLD; i++) {
      assertThat(store.append(frames(blockOf(i, i))).join()).isEqualTo(new Receipt(0, 1, 0));
    }
    assertThat(stored()).hasSize(BLOCKS - OLD);
    assertThatThrownBy(() -> store.append(frames(blockOf(OLD, BLOCKS + 1))).join())
        .hasMessageContaining("is already stored, but not with the event");
  }

  @Test
  void append_oldBlockThatWasDeclaredLost_isStoredOnce() {
    LostBlocks lost = new LostBlocks("n", "i", OLD, OLD, 1, hlc(0), hlc(stamp(OLD)));
    for (int i = 1; i <= BLOCKS; i++) {
      store
          .append(
              frames(
                  i == OLD ? new EncodedFrame(lost, EventBlockCodec.encode(lost)) : blockOf(i, i)))
          .join();
    }
    assertThat(store.append(frames(blockOf(OLD, OLD))).join()).isEqualTo(new Receipt(1, 0, 0));
    for (int i = BLOCKS + 1; i <= 2 * BLOCKS; i++) {
      store.append(frames(blockOf(i, i))).join();
    }
    assertThat(store.append(frames(blockOf(OLD, OLD))).join()).isEqualTo(new Receipt(0, 1, 0));
    assertThatThrownBy(() -> store.append(frames(blockOf(OLD + 1, 3 * BLOCKS))).join())
        .hasMessageContaining("block 4 of node");
    assertThat(stored()).hasSize(2 * BLOCKS);
  }

  @Test
  void append_partOfABlockUnderItsNumber_isRefused() {
    Event first = set("n", "l", stamp(1), "x", 1);
    Event second = set("n", "l", stamp(2), "x", 2);
    long promise = hlc(0);
    store.append(frames(block("i", 1, promise, List.of(first, second)))).join();
    assertThat(store.append(frames(block("i", 1, promise, List.of(first, second)))).join())
        .isEqualTo(new Receipt(0, 2, 0));
    assertThatThrownBy(() -> store.append(frames(block("i", 1, promise, List.of(first)))).join())
        .hasMessageContaining("is already stored with different content");
    Submission together =
        frames(
            block("i", 2, promise, List.of(set("n", "l", stamp(3), "x", 1))),
            block("i", 2, promise, List.of(set("n", "l", stamp(4), "x", 1))));
    assertThatThrownBy(() -> store.append(together).join())
        .hasMessageContaining("is already stored with different content");
  }

  @Test
  void append_blockOfAnotherRunWithTheSameNumber_isStored() {
    sendAll();
    Event other = set("n", "l", hlc(stamp(OLD) + 1), "x", 1);
    assertThat(store.append(frames(block("j", OLD, hlc(0), List.of(other)))).join())
        .isEqualTo(new Receipt(1, 0, 0));
  }

  private void sendAll() {
    IntStream.rangeClosed(1, BLOCKS)
        .mapToObj(i -> store.append(frames(blockOf(i, i))))
        .toList()
        .forEach(receipt -> assertThat(receipt.join()).isEqualTo(new Receipt(1, 0, 0)));
  }

  private static EncodedFrame blockOf(int number, int event) {
    Event only = set("n", "l", hlc(stamp(event)), "x", event);
    return block("i", number, hlc(0), List.of(only));
  }

  private static long stamp(int event) {
    return 10L * event;
  }

  /** The number of checksums in the store's files. */
  private long entries() {
    return StoreMaintenance.verify(directory).lines().stream()
        .filter(line -> line.startsWith("numbers: "))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .sum();
  }

  private List<Event> stored() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      List<Event> events = new ArrayList<>();
      view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(events::add);
      return events;
    }
  }
}
