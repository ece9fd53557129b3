package io.retroscope.recorder;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.sink.EventSink;
import java.util.EnumSet;
import java.util.Set;

/** Turns drained slots into numbered blocks and hands them to the sink. The drainer's alone. */
final class BlockAssembler {
  /** A block is sealed when it holds so many events. */
  static final int MAX_EVENTS = 4_096;

  /** A block is sealed when its complex events weigh so much, see {@link Admission}. */
  static final int MAX_WEIGHT = 1_000_000;

  private static final System.Logger LOGGER = System.getLogger(BlockAssembler.class.getName());

  private final String node;
  private final String incarnation;
  private final EventSink sink;
  private final Counters counters;

  private final EventBlockBuilder builder = new EventBlockBuilder(MAX_EVENTS);
  private int nodeIndex;
  private long number = 1;
  private int weight;
  private boolean sinkFailed;

  BlockAssembler(String node, String incarnation, EventSink sink, Counters counters) {
    this.node = node;
    this.incarnation = incarnation;
    this.sink = sink;
    this.counters = counters;
    nodeIndex = builder.nodeIndex(node);
  }

  boolean isEmpty() {
    return builder.size() == 0;
  }

  boolean isFull() {
    return builder.size() >= MAX_EVENTS || weight >= MAX_WEIGHT;
  }

  /** Adds what a writer published. */
  void add(Slot slot, long sequence) {
    VariableHandle variable = slot.variable;
    if (variable != null) {
      addChange(slot, variable, sequence);
    } else if (slot.payload instanceof EventBody body) {
      add(slot.log, slot.hlc, slot.physicalMicros, sequence, slot.marks(), body);
    } else {
      addMessage(slot, sequence);
    }
  }

  private void addChange(Slot slot, VariableHandle variable, long sequence) {
    if (variable.blockNumber != number) {
      variable.blockNumber = number;
      variable.logIndex = builder.logIndex(variable.log);
      variable.nameIndex = builder.nameIndex(variable.variable);
    }
    builder.begin(
        slot.hlc,
        slot.physicalMicros,
        sequence,
        slot.kind(),
        slot.marks(),
        nodeIndex,
        variable.logIndex);
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

  private void addMessage(Slot slot, long sequence) {
    builder.begin(
        slot.hlc,
        slot.physicalMicros,
        sequence,
        slot.kind(),
        slot.marks(),
        nodeIndex,
        builder.logIndex(slot.log));
    String peer = String.valueOf(slot.payload);
    builder.text(peer);
    String id = slot.messageId.isEmpty() ? ownStamp(slot) : slot.messageId;
    builder.text(id);
    weight += peer.length() + id.length();
  }

  /** A message sent without an identity is known by the stamp that it carries. */
  private static String ownStamp(Slot slot) {
    return slot.kind() == EventKind.SEND ? HlcTimestamp.text(slot.hlc) : "";
  }

  /** Adds an event that is the drainer's own, or whose body a writer has prepared. */
  void add(String log, long hlc, long physicalMicros, long sequence, int marks, EventBody body) {
    builder.add(new Event(node, log, hlc, physicalMicros, sequence, marksOf(marks), body));
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
    long sum = 0;
    if (body instanceof EventBody.StateChange state) {
      for (EventBody.Change change : state.changes()) {
        sum += change.variable().length() + Admission.weight(change.value());
      }
    } else if (body instanceof EventBody.LogLine line) {
      sum = line.message().length();
      for (var field : line.fields().entrySet()) {
        sum += field.getKey().length() + Admission.weight(field.getValue());
      }
    }
    return (int) Math.min(sum, Admission.MAX_EVENT_WEIGHT + 1);
  }

  /** Hands the events so far to the sink, if any, as a block with this promise. */
  void seal(long heartbeat, long lastSequence, long promiseMicros) {
    if (isEmpty()) {
      return;
    }
    counters.recorded.add(builder.size());
    builder.incarnation(incarnation, number).promise(heartbeat, lastSequence, promiseMicros);
    try {
      hand(sink.keepsBlocks() ? builder.build() : builder.lend());
    } finally {
      builder.clear();
      nodeIndex = builder.nodeIndex(node);
      number++;
      weight = 0;
    }
  }

  /** Hands a bare promise to the sink. */
  void heartbeat(long heartbeat, long lastSequence, long promiseMicros) {
    hand(
        EventBlock.heartbeat(
            node, incarnation, number - 1, heartbeat, lastSequence, promiseMicros));
  }

  private void hand(EventBlock block) {
    try {
      sink.accept(block);
      sinkFailed = false;
    } catch (RuntimeException e) {
      counters.lostBySink.add(block.size());
      if (!sinkFailed) {
        sinkFailed = true;
        LOGGER.log(System.Logger.Level.WARNING, "the event sink did not take " + block, e);
      }
    }
  }
}
