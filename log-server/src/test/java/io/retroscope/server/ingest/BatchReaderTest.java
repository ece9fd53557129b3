// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.LostBlocks;
import io.retroscope.event.Value;
import io.retroscope.server.memory.MemoryBudget;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchReaderTest {
  private static final long FROM = HlcTimestamp.pack(1_000);
  private static final long TO = HlcTimestamp.pack(2_000);

  @Test
  void frames_implausibleLoss_isRefused() {
    assertRefused(lost(1, Long.MAX_VALUE, 5), "declares blocks 1 to 9223372036854775807");
    assertRefused(lost(1, LostBlocks.MAX_BLOCKS + 1, 5), "blocks and");
    assertRefused(lost(Long.MAX_VALUE, Long.MAX_VALUE, 5), "blocks and");
    assertRefused(lost(1, 1, Long.MAX_VALUE), "with 9223372036854775807 events lost");
    assertRefused(lost(1, 1, LostBlocks.MAX_EVENTS + 1), "events lost");
  }

  @Test
  void frames_largeLoss_isTaken() {
    assertThat(read(lost(1, LostBlocks.MAX_BLOCKS, LostBlocks.MAX_EVENTS))).isEqualTo(1);
  }

  @Test
  void frames_incarnationTooLongForAKey_isRefused() {
    String name = "i".repeat(Event.MAX_INCARNATION_LENGTH);
    assertThat(read(EventBlock.heartbeat("a", name, 0, FROM, 0))).isEqualTo(1);
    // In two bytes 65,540 would be 4.
    String tooLong = "i".repeat(65_540);
    assertRefused(EventBlock.heartbeat("a", tooLong, 0, FROM, 0), "65540 characters");
    assertRefused(new LostBlocks("a", tooLong, 1, 1, 1, FROM, TO), "65540 characters");
  }

  /** The encoder does not check names: a sender that is not ours can send any. */
  @Test
  void frames_namesThatNoEventCanHave_areRefused() {
    String longest = "n".repeat(Event.MAX_NODE_LENGTH);
    assertThat(read(EventBlock.heartbeat(longest, "i", 0, FROM, 0))).isEqualTo(1);
    assertRefused(
        EventBlock.heartbeat(longest + "n", "i", 0, FROM, 0), "a node's name of 201 characters");
    assertRefused(EventBlock.heartbeat("", "i", 0, FROM, 0), "a node's name");
    String tooLong = "n".repeat(65_540);
    assertRefused(block(tooLong, "x"), "a log of 65540 characters");
    assertRefused(block("l", tooLong), "a variable of 65540 characters");
    assertThat(read(block("l".repeat(20_000), "x".repeat(20_000)))).isEqualTo(1);
  }

  private static EventBlock block(String log, String variable) {
    EventBody body =
        new EventBody.StateChange(
            List.of(new EventBody.Change(EventBody.Operation.SET, variable, Value.of(1))));
    return new EventBlockBuilder()
        .incarnation("i", 1)
        .add(new Event("a", log, FROM, body))
        .promise(FROM, 0, 0)
        .build();
  }

  private static LostBlocks lost(long first, long last, long events) {
    return new LostBlocks("a", "i", first, last, events, FROM, TO);
  }

  private static int read(BlockFrame frame) {
    return BatchReader.frames(bytes(frame), new MemoryBudget(64 << 20).charge()).size();
  }

  private static void assertRefused(BlockFrame frame, String reason) {
    assertThatThrownBy(() -> BatchReader.frames(bytes(frame), new MemoryBudget(64 << 20).charge()))
        .isInstanceOf(BadBatchException.class)
        .hasMessageContaining(reason);
  }

  private static byte[] bytes(BlockFrame frame) {
    return frame instanceof LostBlocks lost
        ? EventBlockCodec.encode(lost)
        : EventBlockCodec.encode((EventBlock) frame);
  }
}
