// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A node of a random history: it records values of x, and sends its blocks when it can. */
final class SeamNode {
  private final String name;
  private final Random random;
  private final List<EncodedFrame> outbox = new ArrayList<>();
  private long offsetMicros;
  private long lastHlc = HlcTimestamp.MIN_PACKED;
  private String incarnation = "";
  private int run;
  private long number;
  private long silentUntilMicros;

  SeamNode(String name, Random random) {
    this.name = name;
    this.random = random;
    this.offsetMicros = random.nextInt(400_000) - 200_000L;
  }

  /** Begins a run; what an earlier one had not sent is gone. */
  void start(long nowMicros) {
    outbox.clear();
    String before = incarnation;
    incarnation = name + "-" + ++run;
    number = 0;
    EventBody.Start start =
        new EventBody.Start(incarnation, HlcTimestamp.MIN_PACKED, before, Spill.COMPLETE);
    add(List.of(new Event(name, "", tick(nowMicros), start)), nowMicros);
  }

  /** Moves its clock. */
  void step(long micros) {
    offsetMicros += micros;
  }

  /** Cuts it off: it records, and cannot send. */
  void silence(long untilMicros) {
    silentUntilMicros = untilMicros;
  }

  private long tick(long nowMicros) {
    lastHlc = Math.max(lastHlc + 1, HlcTimestamp.pack(nowMicros + offsetMicros));
    return lastHlc;
  }

  /** Records some values at random times since it last did. */
  void record(long fromMicros, long nowMicros) {
    List<Event> events = new ArrayList<>();
    long micros = fromMicros;
    for (int i = random.nextInt(3); i > 0; i--) {
      micros += random.nextInt((int) Math.max(1, (nowMicros - micros) / 2));
      events.add(set(name, tick(micros), random));
    }
    add(events, nowMicros);
  }

  static Event set(String node, long hlc, Random random) {
    Change change = new Change(Operation.SET, "x", Value.of((long) random.nextInt(4)));
    return new Event(node, "t", hlc, new StateChange(List.of(change)));
  }

  private void add(List<Event> events, long nowMicros) {
    long promise = tick(nowMicros);
    EventBlock block =
        events.isEmpty()
            ? EventBlock.heartbeat(name, incarnation, number, promise, 0)
            : block(events, promise);
    outbox.add(new EncodedFrame(block, EventBlockCodec.encode(block)));
  }

  private EventBlock block(List<Event> events, long promise) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation(incarnation, ++number);
    events.forEach(builder::add);
    return builder.promise(promise, 0).build();
  }

  /** Takes what it can send now. */
  List<EncodedFrame> send(long nowMicros) {
    if (nowMicros < silentUntilMicros) {
      return List.of();
    }
    // An interruption may leave a part of a backlog for later.
    int count = random.nextInt(8) == 0 ? outbox.size() / 2 : outbox.size();
    List<EncodedFrame> sent = new ArrayList<>(outbox.subList(0, count));
    outbox.subList(0, count).clear();
    return sent;
  }
}
