// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.sink.EventSink;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The assembler of drained slots into numbered blocks, which are passed to the sink. Owned by the
 * drainer's thread.
 */
final class BlockAssembler {
  /** The number of events at which a block is sealed. */
  static final int MAX_EVENTS = 4_096;

  /** The weight of complex events at which a block is sealed, see {@link Admission}. */
  static final int MAX_WEIGHT = 1_000_000;

  private static final Diagnostics DIAGNOSTICS = new Diagnostics(BlockAssembler.class);

  private final String node;
  private final String incarnation;
  private final EventSink sink;
  private final Counters counters;

  private final EventBlockBuilder builder = new EventBlockBuilder(MAX_EVENTS);
  private int nodeIndex;
  private long number = 1;
  private int weight;
  private long highest = HlcTimestamp.MIN_PACKED;
  private boolean unbound;
  private boolean sinkFailed;

  BlockAssembler(String node, String incarnation, EventSink sink, Counters counters) {
    this.node = node;
    this.incarnation = incarnation;
    this.sink = sink;
    this.counters = counters;
  }

  boolean isEmpty() {
    return builder.size() == 0;
  }

  boolean isFull() {
    return builder.size() >= MAX_EVENTS || weight >= MAX_WEIGHT;
  }

  /** The highest stamp in the open block. */
  long highest() {
    return highest;
  }

  /**
   * Adds the event that a writer published. If that fails, the open block is discarded, because it
   * may contain a partial event.
   */
  void add(Slot slot, long sequence) {
    try {
      highest = Math.max(highest, slot.hlc);
      if (slot.subject instanceof VariableHandle variable) {
        addChange(slot, variable, sequence);
      } else if (slot.payload instanceof EventBody body) {
        addBody(log(slot), slot, sequence, slot.marks(), body);
      } else {
        addMessage(slot, sequence);
      }
    } catch (Throwable e) {
      discard();
      throw e;
    }
  }

  private static String log(Slot slot) {
    return (String) slot.subject;
  }

  /** Discards the events so far; the missing block number reveals the loss. */
  private void discard() {
    counters.lostByDrainer.add(builder.size());
    next();
  }

  private void next() {
    builder.clear();
    number++;
    weight = 0;
    highest = HlcTimestamp.MIN_PACKED;
  }

  private void addChange(Slot slot, VariableHandle variable, long sequence) {
    if (variable.blockNumber != number || variable.assembler != this) {
      variable.assembler = this;
      variable.logIndex = builder.logIndex(variable.log);
      variable.nameIndex = builder.nameIndex(variable.variable);
      variable.blockNumber = number;
    }
    begin(slot, sequence, variable.logIndex);
    if (slot.payload instanceof String text) {
      builder.change(
          slot.operation(), variable.nameIndex, ValueType.STRING, builder.textIndex(text));
      weight += text.length();
    } else if (slot.payload instanceof Value value) {
      builder.change(slot.operation(), variable.nameIndex, value);
      weight += Admission.weight(value);
    } else {
      builder.change(slot.operation(), variable.nameIndex, slot.type(), slot.bits);
    }
  }

  private void begin(Slot slot, long sequence, int logIndex) {
    if (isEmpty()) {
      nodeIndex = builder.nodeIndex(node);
    }
    builder.begin(
        slot.hlc, slot.physicalMicros, sequence, slot.kind(), slot.marks(), nodeIndex, logIndex);
  }

  private void addMessage(Slot slot, long sequence) {
    begin(slot, sequence, builder.logIndex(log(slot)));
    String peer = String.valueOf(slot.payload);
    String id = slot.messageId == null ? HlcTimestamp.text(slot.bits) : slot.messageId;
    builder.message(peer, id);
    weight += peer.length() + id.length();
  }

  /** Adds an event of the drainer itself; fails as {@link #add(Slot, long)} does. */
  void add(String log, HlcReading stamp, long sequence, int marks, EventBody body) {
    try {
      addBody(log, stamp, sequence, marks, body);
    } catch (Throwable e) {
      discard();
      throw e;
    }
  }

  private void addBody(String log, HlcReading stamp, long sequence, int marks, EventBody body) {
    highest = Math.max(highest, stamp.hlc);
    builder.add(
        new Event(node, log, stamp.hlc, stamp.physicalMicros, sequence, marksOf(marks), body));
    weight += weightOf(body);
  }

  private static Set<EventMark> marksOf(int bits) {
    if (bits == 0) {
      return Set.of();
    }
    Set<EventMark> marks = EnumSet.allOf(EventMark.class);
    marks.removeIf(mark -> (bits & mark.bit()) == 0);
    return marks;
  }

  static int weightOf(EventBody body) {
    long weight =
        switch (body.kind()) {
          case STATE_CHANGE -> weight((EventBody.StateChange) body);
          case LOG_LINE -> weight((EventBody.LogLine) body);
          case SEND, RECEIVE, HEARTBEAT, START, STOP -> 0; // at most two short texts
        };
    return (int) Math.min(weight, Admission.MAX_EVENT_WEIGHT + 1);
  }

  private static long weight(EventBody.StateChange state) {
    long weight = 0;
    for (EventBody.Change change : state.changes()) {
      weight += change.variable().length() + Admission.weight(change.value());
    }
    return weight;
  }

  private static long weight(EventBody.LogLine line) {
    long weight = line.message().length();
    for (Map.Entry<String, Value> field : line.fields().entrySet()) {
      weight += field.getKey().length() + Admission.weight(field.getValue());
    }
    return weight;
  }

  /**
   * Passes the events so far, if any, to the sink as a block with this promise.
   *
   * @param bound whether the stored bound covers all of their stamps
   */
  void seal(long heartbeat, long lastSequence, long promiseMicros, boolean bound) {
    if (isEmpty()) {
      return;
    }
    counters.recorded.add(builder.size());
    mark(!bound);
    try {
      builder.incarnation(incarnation, number).promise(heartbeat, lastSequence, promiseMicros);
      hand(sink.keepsBlocks() ? builder.build() : builder.lend());
    } catch (Throwable e) {
      lost(builder.size(), "cannot build a block", null, e);
    } finally {
      next();
    }
  }

  private void mark(boolean nowUnbound) {
    if (nowUnbound) {
      builder.markUnbound();
    }
    if (nowUnbound != unbound) {
      unbound = nowUnbound;
      DIAGNOSTICS.log(
          unbound ? System.Logger.Level.WARNING : System.Logger.Level.INFO,
          unbound
              ? "the node is ahead of its stored restart bound; events are marked as unbound"
              : "the restart bound of the node is stored in time again",
          node,
          null);
    }
  }

  /** Passes a bare promise to the sink. */
  void heartbeat(long heartbeat, long lastSequence, long promiseMicros) {
    hand(
        EventBlock.heartbeat(
            node, incarnation, number - 1, heartbeat, lastSequence, promiseMicros));
  }

  private void hand(EventBlock block) {
    try {
      sink.accept(block);
      // A heartbeat shows nothing: if it did, a sink that refuses events would be logged for each.
      sinkFailed &= block.isEmpty();
    } catch (Throwable e) {
      lost(block.size(), "the event sink did not accept", block, e);
    }
  }

  private void lost(int eventCount, String message, @Nullable EventBlock block, Throwable cause) {
    counters.lostBySink.add(eventCount);
    if (!sinkFailed) {
      sinkFailed = true;
      DIAGNOSTICS.log(System.Logger.Level.WARNING, message, block, cause);
    }
  }
}
