// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.ValueType;
import io.retroscope.rql.json.EventLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Events on their way into blocks, each of which has the events of one log and incarnation. Used by
 * one thread.
 */
final class EventBatch {
  /**
   * The log of heartbeats, each of which sets {@link #PROMISE}. No event has a log of this name:
   * {@link SealedConversion} refuses it.
   */
  static final String HEARTBEATS = "\0heartbeats";

  /** The variable with the interval that a heartbeat promises, in microseconds; 0 for none. */
  static final String PROMISE = "promise";

  /** The most rows of a batch. */
  static final int MAX_ROWS = EventBlock.MAX_EVENTS;

  /** A line of 1 MiB has fewer changes than are missing to the limit of a block. */
  private static final int FULL_CHANGES = EventBlock.MAX_CHANGES / 2;

  /** So few that a collector of garbage need not copy the texts of several batches often. */
  private static final long FULL_TEXT = 4L << 20;

  private static final int MAX_KEPT_BLOCKS = 64;

  private final Map<Key, Part> parts = new HashMap<>();
  private final Map<String, Part> ofUnknownRuns = new HashMap<>();
  private final int maxRows;
  private int rows;
  private int changes;
  private long textLength;

  private record Key(String log, String incarnation) {}

  private static final class Part {
    private final EventBlockBuilder builder = new EventBlockBuilder();
    private final String incarnation;
    private long lastHlc = Long.MIN_VALUE;
    private boolean ascends = true;

    Part(String incarnation) {
      this.incarnation = incarnation;
      builder.incarnation(incarnation, 0);
    }

    void see(long hlc) {
      ascends &= lastHlc <= hlc;
      lastHlc = hlc;
    }

    void clear() {
      builder.clear();
      builder.incarnation(incarnation, 0);
      lastHlc = Long.MIN_VALUE;
      ascends = true;
    }
  }

  /** An empty batch of at most {@link #MAX_ROWS} events. */
  EventBatch(int maxRows) {
    this.maxRows = maxRows;
  }

  /** Whether the next event needs another batch. */
  boolean isFull() {
    return rows == maxRows || changes >= FULL_CHANGES || textLength >= FULL_TEXT;
  }

  void add(EventLine line) {
    boolean isHeartbeat = line.kind() == EventKind.HEARTBEAT;
    Part part = part(isHeartbeat ? HEARTBEATS : line.log());
    int before = part.builder.changeCount();
    if (isHeartbeat) {
      heartbeat(
          part.builder,
          line.node(),
          line.hlc(),
          line.physicalMicros(),
          line.sequence(),
          0,
          line.promiseMicros());
    } else {
      line.addTo(part.builder);
    }
    added(part, line.hlc(), before, line.textLength());
  }

  void add(Event event) {
    EventBody.@Nullable Heartbeat heartbeat =
        event.body() instanceof EventBody.Heartbeat h ? h : null;
    String log = heartbeat == null ? event.log() : HEARTBEATS;
    Part part = event.incarnation().isEmpty() ? part(log) : part(log, event.incarnation());
    int before = part.builder.changeCount();
    if (heartbeat != null) {
      heartbeat(
          part.builder,
          event.node(),
          event.hlc(),
          event.physicalMicros(),
          event.sequence(),
          event.marks().stream().mapToInt(EventMark::bit).sum(),
          heartbeat.promiseMicros());
    } else if (event.body() instanceof EventBody.LogLine line && event.marks().isEmpty()) {
      addLine(part.builder, event, line);
    } else {
      part.builder.add(event);
    }
    added(part, event.hlc(), before, EventSize.textLength(event.body()));
  }

  /** Most messages differ. Sealing finds those that do not. */
  private static void addLine(EventBlockBuilder builder, Event event, EventBody.LogLine line) {
    builder.begin(
        event.hlc(),
        event.physicalMicros(),
        event.sequence(),
        EventKind.LOG_LINE,
        0,
        builder.nodeIndex(event.node()),
        builder.logIndex(event.log()));
    int message = builder.newTextIndex(line.message());
    builder.change(Operation.SET, EventBlock.NO_NAME, ValueType.STRING, message);
    line.fields()
        .forEach((name, value) -> builder.change(Operation.SET, builder.nameIndex(name), value));
  }

  private static void heartbeat(
      EventBlockBuilder builder,
      String node,
      long hlc,
      long physicalMicros,
      long sequence,
      int marks,
      long promiseMicros) {
    builder.begin(
        hlc,
        physicalMicros,
        sequence,
        EventKind.STATE_CHANGE,
        marks,
        builder.nodeIndex(node),
        builder.logIndex(HEARTBEATS));
    builder.change(Operation.SET, builder.nameIndex(PROMISE), ValueType.LONG, promiseMicros);
  }

  private void added(Part part, long hlc, int changesBefore, long text) {
    part.see(hlc);
    rows++;
    changes += part.builder.changeCount() - changesBefore;
    textLength += text;
  }

  private Part part(String log) {
    Part known = ofUnknownRuns.get(log);
    if (known == null) {
      known = part(log, "");
      ofUnknownRuns.put(log, known);
    }
    return known;
  }

  private Part part(String log, String incarnation) {
    return parts.computeIfAbsent(new Key(log, incarnation), key -> new Part(incarnation));
  }

  /** Removes the events and returns them as blocks, by log. */
  Map<String, List<EventBlock>> take() {
    Map<String, List<EventBlock>> blocks = new LinkedHashMap<>();
    parts.forEach(
        (key, part) -> {
          if (part.builder.size() > 0) {
            EventBlock block = part.ascends ? part.builder.buildAsAdded() : part.builder.build();
            blocks.computeIfAbsent(key.log, log -> new ArrayList<>()).add(block);
            part.clear();
          }
        });
    if (parts.size() > MAX_KEPT_BLOCKS) {
      parts.clear();
      ofUnknownRuns.clear();
    }
    rows = 0;
    changes = 0;
    textLength = 0;
    return blocks;
  }
}
