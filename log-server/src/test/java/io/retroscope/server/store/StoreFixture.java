// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission.EncodedFrame;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/** A factory of stores, events and submissions for tests. */
public final class StoreFixture {
  /** The server's clock in these tests. */
  static final long NOW_MICROS = 1_800_000_000_000_000L;

  private StoreFixture() {}

  public static EventStore open(Path directory) {
    return EventStore.open(directory, StoreOptions.DEFAULT, () -> NOW_MICROS);
  }

  static long hlc(long micros) {
    return HlcTimestamp.pack(micros);
  }

  public static Event set(String node, String log, long hlc, String variable, long value) {
    return new Event(
        node,
        log,
        hlc,
        new EventBody.StateChange(List.of(new Change(Operation.SET, variable, Value.of(value)))));
  }

  static Event numbered(long sequence, Event event) {
    return new Event(
        event.node(),
        event.log(),
        event.hlc(),
        event.physicalMicros(),
        sequence,
        event.marks(),
        event.body());
  }

  static Event heartbeat(String node, long hlc) {
    return new Event(node, "", hlc, new EventBody.Heartbeat());
  }

  public static Submission lines(List<Event> events) {
    List<NumberedEvent> lines = new ArrayList<>();
    events.forEach(event -> lines.add(new NumberedEvent(lines.size() + 1L, event)));
    return new Submission.Lines(lines, List.of(), 100L * lines.size());
  }

  public static Submission lines(Event... events) {
    return lines(List.of(events));
  }

  static EncodedFrame block(String incarnation, long number, long promise, List<Event> events) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation(incarnation, number);
    events.forEach(builder::add);
    return frame(builder.promise(promise, 0).build());
  }

  static EncodedFrame frame(EventBlock block) {
    return new EncodedFrame(block, EventBlockCodec.encode(block));
  }

  static Submission frames(EncodedFrame... frames) {
    return new Submission.Frames(List.of(frames));
  }

  /** Stores one event of a node in each of some microseconds, each as a line. */
  static void fill(EventStore store, int from, int to) {
    for (int i = from; i <= to; i++) {
      store.append(lines(set("n", "l", hlc(i), "x", i))).join();
    }
  }

  static void sealAll(EventStore store) {
    while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
      // The next batch.
    }
  }

  static SealLimits limits(int rows) {
    return new SealLimits(rows, 12, 8);
  }

  /** Opens a store that seals small batches, into blocks of some rows. */
  public static EventStore open(Path data, int rows) {
    return EventStore.open(data, StoreOptions.DEFAULT.sealingBy(limits(rows)), () -> NOW_MICROS);
  }

  static List<Event> events(EventStore store) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return events(view);
    }
  }

  /** The events without their incarnations, which a sealed block names for all of them. */
  static List<Event> events(View view) {
    return list(view.scan(Set.of("a", "b", "l", "m", ""), HlcRange.ALL)).stream()
        .map(event -> event.of(""))
        .toList();
  }

  static List<Event> list(Iterator<Event> events) {
    List<Event> list = new ArrayList<>();
    events.forEachRemaining(list::add);
    return list;
  }
}
