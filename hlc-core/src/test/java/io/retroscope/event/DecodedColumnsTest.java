// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Blocks that share some of their decoded columns with most others, and differ in one. */
class DecodedColumnsTest {
  private static final int ROWS = 50;

  @Test
  void writesLongsOnly_ofUsualRows_isTrue() throws CorruptBlockException {
    EventBlock decoded = decoded(block(Set.of(), setOne("a", Value.of(1))));
    assertThat(decoded.writesLongsOnly()).isTrue();
  }

  @Test
  void writesLongsOnly_ofRowsThatDifferInOneColumn_isFalse() throws CorruptBlockException {
    List<EventBlock> others =
        List.of(
            block(Set.of(EventMark.REPAIR), setOne("a", Value.of(1))),
            block(Set.of(), new LogLine("", Map.of("a", Value.of(1)))),
            block(Set.of(), setOne("a", Value.of(true))),
            block(
                Set.of(),
                new StateChange(List.of(new Change(Operation.UNSET, "a", Value.NullValue.NULL)))),
            block(Set.of(), new StateChange(List.of(set("a", 1), set("a", 2)))));
    for (EventBlock block : others) {
      EventBlock decoded = decoded(block);
      assertThat(decoded.writesLongsOnly()).as("%s", block.event(0)).isFalse();
      assertThat(decoded.events()).isEqualTo(block.events());
    }
  }

  @Test
  void decode_unboundRowsWithAnotherMark_haveBoth() throws CorruptBlockException {
    EventBlockBuilder builder = new EventBlockBuilder();
    events(Set.of(EventMark.REPAIR), setOne("a", Value.of(1))).forEach(builder::add);
    EventBlock decoded = decoded(builder.markUnbound().build());
    for (Event event : decoded.events()) {
      assertThat(event.marks()).containsExactlyInAnyOrder(EventMark.REPAIR, EventMark.UNBOUND);
    }
  }

  /** There are more changes than the shared columns have entries. */
  @Test
  void decode_moreChangesThanABlockMayHaveEvents_areThoseWritten() throws CorruptBlockException {
    List<Change> changes = Collections.nCopies(EventBlock.MAX_EVENTS + 1, set("a", 1));
    EventBlock block = block(Set.of(), new StateChange(changes), 1);
    assertThat(decoded(block).events()).isEqualTo(block.events());
  }

  /** A checksum proves nothing: whatever is accepted has rows that can be read. */
  @Test
  void decode_anyByteOfUsualRowsChanged_isRefusedOrHasRows() {
    byte[] frame = EventBlockCodec.encode(block(Set.of(), setOne("a", Value.of(1))));
    int end = frame.length - Integer.BYTES;
    int refused = 0;
    for (int at = EventBlockCodec.HEADER_BYTES; at < end; at++) {
      for (int value = 0; value < 16; value++) {
        byte[] changed = frame.clone();
        changed[at] = (byte) value;
        ByteBuffer.wrap(changed).putInt(end, EventBlockCodec.checksum(changed, 0, end));
        try {
          EventBlock decoded = EventBlockCodec.decodeBlock(changed);
          assertThat(decoded.events()).as("%d at %d", value, at).hasSize(decoded.size());
        } catch (CorruptBlockException e) {
          refused++;
        }
      }
    }
    assertThat(refused).isGreaterThan(100);
  }

  private static StateChange setOne(String variable, Value value) {
    return new StateChange(List.of(new Change(Operation.SET, variable, value)));
  }

  private static Change set(String variable, long value) {
    return new Change(Operation.SET, variable, Value.of(value));
  }

  private static EventBlock block(Set<EventMark> marks, EventBody body) {
    return EventBlock.of(events(marks, body));
  }

  private static EventBlock block(Set<EventMark> marks, EventBody body, int rows) {
    return EventBlock.of(events(marks, body).subList(0, rows));
  }

  private static List<Event> events(Set<EventMark> marks, EventBody body) {
    Set<EventMark> all = EnumSet.noneOf(EventMark.class);
    all.addAll(marks);
    List<Event> events = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      long hlc = HlcTimestamp.pack(1_000_000 + row);
      events.add(new Event("n", "", "log", hlc, 1_000_000 + row, row, all, body));
    }
    return events;
  }

  private static EventBlock decoded(EventBlock block) throws CorruptBlockException {
    return EventBlockCodec.decodeBlock(EventBlockCodec.encode(block));
  }
}
