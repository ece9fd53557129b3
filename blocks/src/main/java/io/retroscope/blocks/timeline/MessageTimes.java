// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import java.util.HashMap;
import java.util.Map;

/** The sends of some blocks, by which the times of messages are known. Used by one thread. */
final class MessageTimes {
  /** A message, as its ends name it. */
  private record Key(String from, String to, String id) {}

  private final Map<Key, Long> sends = new HashMap<>();

  void addSend(EventBlock block, int row) {
    if (block.body(row) instanceof EventBody.Send send) {
      // Of a message that was sent repeatedly, the first send.
      sends.merge(
          new Key(block.nodes().get(block.nodeIndex(row)), send.to(), send.id()),
          block.hlc(row),
          Math::min);
    }
  }

  /**
   * The time that a received message took; {@link TimelineBins#NO_MESSAGE} if its send is not
   * known.
   */
  long micros(EventBlock block, int row) {
    if (!(block.body(row) instanceof EventBody.Receive receive)) {
      return TimelineBins.NO_MESSAGE;
    }
    String to = block.nodes().get(block.nodeIndex(row));
    Long sent = sends.get(new Key(receive.from(), to, receive.id()));
    if (sent == null) {
      // A sender may not have known the receiver.
      sent = sends.get(new Key(receive.from(), "", receive.id()));
    }
    return sent == null || sent > block.hlc(row)
        ? TimelineBins.NO_MESSAGE
        : HlcTimestamp.micros(block.hlc(row)) - HlcTimestamp.micros(sent);
  }
}
