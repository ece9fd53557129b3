// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.replay;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The events of readings, with the stamps that a hybrid logical clock would have given them: each
 * is the highest of the reading, the node's last stamp plus one, and the stamp of the message that
 * is received plus one. Used by one thread.
 */
public final class ClockReplay {
  private final EventConsumer consumer;
  private final Messages messages;
  private final Map<String, Node> nodes = new HashMap<>();
  private final Set<String> derived = new HashSet<>();
  private int receives;
  private long lowest = Long.MAX_VALUE;
  private long highest = Long.MIN_VALUE;

  /** A node's clock. */
  private static final class Node {
    /** The last stamp. */
    private long hlc = Long.MIN_VALUE;

    /** The highest reading so far, packed. */
    private long highest = Long.MIN_VALUE;
  }

  /**
   * A replay.
   *
   * @param messages from a survey of the same readings
   */
  public ClockReplay(Messages messages, EventConsumer consumer) {
    this.messages = messages;
    this.consumer = consumer;
  }

  /**
   * Passes on the events of a reading.
   *
   * @throws IOException if the consumer throws it
   * @throws IllegalStateException if the readings are not those of the survey
   */
  public void add(ClockReading reading) throws IOException {
    Node node = nodes.get(reading.node());
    if (node == null) {
      node = new Node();
      nodes.put(reading.node(), node);
    }
    long packed = reading.packed();
    node.highest = Math.max(node.highest, packed);
    for (EventBody body : reading.bodies()) {
      long stamp = Math.max(packed, node.hlc == Long.MIN_VALUE ? packed : node.hlc + 1);
      Set<EventMark> marks = Set.of();
      if (body instanceof EventBody.Receive) {
        long bound = nextBound();
        stamp = Math.max(stamp, bound);
        marks = bound == Messages.DROPPED ? Set.of(EventMark.UNORDERED) : marks;
      }
      node.hlc = stamp;
      if (!reading.isOfOneClock()) {
        derived.add(reading.node());
        lowest = Math.min(lowest, stamp);
        highest = Math.max(highest, stamp);
      }
      consumer.event(
          new Event(
              reading.node(),
              body.kind().isOfNode() ? "" : reading.log(),
              stamp,
              physical(node, packed, reading.micros()),
              Event.NO_SEQUENCE,
              marks,
              body));
    }
  }

  /**
   * The reading, unless a higher one of the same node came before. Then the stamp's lead is no
   * evidence of another clock.
   */
  private static long physical(Node node, long packed, long micros) {
    return node.highest > packed ? Event.NO_PHYSICAL : micros;
  }

  private long nextBound() {
    if (messages.receiveCount() == 0) {
      return Messages.NO_CAUSE;
    }
    if (receives == messages.receiveCount()) {
      throw new IllegalStateException("there are more readings than in the survey");
    }
    return messages.bound(receives++);
  }

  /** Passes on what every answer about these events must contain. */
  public void finish() throws IOException {
    if (receives != messages.receiveCount()) {
      throw new IllegalStateException("there are fewer readings than in the survey");
    }
    for (String sentence : messages.contradictions()) {
      consumer.incomplete(new Incompleteness.Remarked(sentence));
    }
    if (!derived.isEmpty()) {
      HlcRange range = new HlcRange(lowest, highest);
      consumer.incomplete(new Incompleteness.Derived(range, derived, messages.count()));
    }
  }
}
