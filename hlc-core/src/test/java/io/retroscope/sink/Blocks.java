// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import java.util.List;
import java.util.Set;

/** Blocks of one incarnation of one node. */
final class Blocks {
  static final long T = HlcTimestamp.pack(1_795_200_000_000_000L);

  private Blocks() {}

  /** The block of that number, with events that each contain a text of the given length. */
  static EventBlock block(long number, int eventCount, int textLength) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("5f2c", number);
    for (int i = 0; i < eventCount; i++) {
      long sequence = number * 1_000 + i;
      String text = (sequence + "x".repeat(textLength)).substring(0, Math.max(4, textLength));
      builder.add(
          new Event(
              "zk1",
              "setd",
              stamp(sequence),
              HlcTimestamp.micros(stamp(sequence)),
              sequence,
              Set.of(),
              new EventBody.StateChange(
                  List.of(new EventBody.Change(EventBody.Operation.SET, "r1", Value.of(text))))));
    }
    return builder.promise(stamp(number * 1_000 + 999), number * 1_000 + eventCount).build();
  }

  static EventBlock heartbeat(long number, long sequence) {
    return EventBlock.heartbeat("zk1", "5f2c", number, stamp(sequence), sequence);
  }

  static long stamp(long sequence) {
    return T + (sequence << HlcTimestamp.LOGICAL_BITS);
  }
}
