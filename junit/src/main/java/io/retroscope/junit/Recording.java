// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Heartbeat;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.sink.EventSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The blocks of all nodes of a test, in memory. Complete or not: beyond the limit a block is
 * refused, which its recorder counts as a loss. Thread-safe.
 */
final class Recording {
  /** The most memory of the blocks of one test. */
  static final long MAX_BYTES = 256L << 20;

  /** What an empty block takes, which {@link EventBlock#memoryBytes} does not count. */
  private static final long FRAME_BYTES = 200;

  /** The distance of the heartbeats that are kept of a node that records nothing else. */
  private static final long HEARTBEAT_MICROS = 250_000;

  private final long maxBytes;
  private final List<BlockFrame> frames = new ArrayList<>();
  private final Set<List<Object>> known = new HashSet<>();
  private long bytes;

  Recording(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Takes a frame, unless it is a block that was sent before.
   *
   * @throws IllegalStateException beyond the limit
   */
  synchronized void add(BlockFrame frame) {
    long size = FRAME_BYTES + (frame instanceof EventBlock block ? block.memoryBytes() : 0);
    if (bytes + size > maxBytes) {
      throw new IllegalStateException("one test records at most %d MiB".formatted(maxBytes >> 20));
    }
    if (frame instanceof EventBlock block
        && !block.isEmpty()
        && !known.add(List.of(block.node(), block.incarnation(), block.number()))) {
      return;
    }
    frames.add(frame);
    bytes += size;
  }

  /** A sink of one recorder, which closes it. */
  EventSink sink() {
    return new EventSink() {
      @Override
      public void accept(EventBlock block) {
        add(block);
      }

      @Override
      public boolean flush(Duration timeout) {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  /** A copy of the events so far, which later blocks do not change. */
  synchronized Recorded soFar() {
    Map<String, Set<String>> runs = new HashMap<>();
    List<Gap> gaps = new ArrayList<>();
    for (BlockFrame frame : frames) {
      if (frame instanceof EventBlock block) {
        runs.computeIfAbsent(block.node(), node -> new HashSet<>()).add(block.incarnation());
      } else if (frame instanceof LostBlocks lost && lost.eventCount() > 0) {
        HlcRange range = new HlcRange(lost.firstHlc(), lost.lastHlc());
        gaps.add(new Gap(lost.node(), lost.incarnation(), range, lost.eventCount()));
      }
    }
    List<Event> events = new ArrayList<>();
    for (BlockFrame frame : frames) {
      if (frame instanceof EventBlock block) {
        boolean onlyRun = runs.getOrDefault(block.node(), Set.of()).size() == 1;
        add(block, onlyRun ? "" : block.incarnation(), events);
      }
    }
    events.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
    return new Recorded(withFewerHeartbeats(events), gaps);
  }

  private static void add(EventBlock block, String incarnation, List<Event> events) {
    for (Event event : block.events()) {
      events.add(event.of(incarnation));
    }
    if (block.heartbeat() != EventBlock.NO_HEARTBEAT) {
      Heartbeat heartbeat = new Heartbeat(block.promiseMicros());
      events.add(new Event(block.node(), "", block.heartbeat(), heartbeat).of(incarnation));
    }
  }

  /** Without the heartbeats between which nothing happens, so that people can read the file. */
  private static List<Event> withFewerHeartbeats(List<Event> ordered) {
    List<Event> kept = new ArrayList<>();
    Map<String, Event> waiting = new HashMap<>();
    Map<String, Long> last = new HashMap<>();
    for (Event event : ordered) {
      Event heartbeat = waiting.remove(event.node());
      long micros = HlcTimestamp.micros(event.hlc());
      if (heartbeat != null && micros - last.getOrDefault(event.node(), 0L) > HEARTBEAT_MICROS) {
        kept.add(heartbeat);
        last.put(event.node(), HlcTimestamp.micros(heartbeat.hlc()));
      }
      if (event.body() instanceof Heartbeat) {
        waiting.put(event.node(), event);
      } else {
        kept.add(event);
        last.put(event.node(), micros);
      }
    }
    kept.addAll(waiting.values());
    kept.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
    return kept;
  }

  /**
   * The events of the nodes of a test.
   *
   * @param events in the order of their stamps
   */
  record Recorded(List<Event> events, List<Gap> gaps) {}
}
