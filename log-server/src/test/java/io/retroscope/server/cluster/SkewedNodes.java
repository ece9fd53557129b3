// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The events of nodes that exchange messages, and whose clocks differ by known amounts. */
final class SkewedNodes {
  static final String LOG = "skewed";

  /** How far each clock is behind the first one. */
  private static final long[] BEHIND_MICROS = {0, 39_000, 5_000, 120_000, 700};

  private static final int BLOCK_EVENTS = 100;

  private final Random random;
  private final List<HybridLogicalClock> clocks = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final Map<Long, List<Long>> timesMicros = new HashMap<>();
  private final Map<String, Long> blockCounts = new HashMap<>();

  /** The events that are in blocks. */
  private int blockedCount;

  /** The next value. */
  private int changes;

  /** By the first clock. */
  private long micros = ClusterFixture.START_MICROS - 10_000_000;

  /** Nodes that exchanged messages, and have stopped. */
  SkewedNodes(long seed, int messages) {
    this(seed);
    exchange(messages);
    for (int node = 0; node < BEHIND_MICROS.length; node++) {
      add(node, "", new EventBody.Stop());
    }
  }

  /** Nodes that have started. */
  SkewedNodes(long seed) {
    random = new Random(seed);
    for (long behindMicros : BEHIND_MICROS) {
      clocks.add(new HybridLogicalClock(() -> micros - behindMicros));
    }
    for (int node = 0; node < BEHIND_MICROS.length; node++) {
      add(
          node,
          "",
          new EventBody.Start(run(node), HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE));
    }
  }

  /** A node changes its state and sends a message; another one receives it, and does the same. */
  void exchange(int messages) {
    for (int i = 0; i < messages; i++) {
      exchange();
    }
  }

  private void exchange() {
    int message = changes++;
    int from = random.nextInt(BEHIND_MICROS.length);
    int to = (from + 1 + random.nextInt(BEHIND_MICROS.length - 1)) % BEHIND_MICROS.length;
    micros += 500 + random.nextInt(10_000);
    set(from, message);
    long stamp = add(from, LOG, new EventBody.Send(name(to), "m" + message));
    micros += 100 + random.nextInt(2_000);
    HlcReading reading = new HlcReading();
    clocks.get(to).observe(stamp, reading);
    add(to, LOG, reading, new EventBody.Receive(name(from), "m" + message));
    set(to, message);
  }

  /** All nodes change their states without messages. */
  void change(int times) {
    for (int i = 0; i < times; i++, changes++) {
      for (int node = 0; node < BEHIND_MICROS.length; node++) {
        micros += 500 + random.nextInt(10_000);
        set(node, changes);
      }
    }
  }

  private void set(int node, long value) {
    add(node, LOG, new StateChange(List.of(new Change(Operation.SET, "x", Value.of(value)))));
  }

  private long add(int node, String log, EventBody body) {
    HlcReading reading = new HlcReading();
    clocks.get(node).tick(reading);
    add(node, log, reading, body);
    return reading.hlc;
  }

  private void add(int node, String log, HlcReading reading, EventBody body) {
    timesMicros.computeIfAbsent(reading.hlc, hlc -> new ArrayList<>()).add(micros);
    events.add(
        new Event(
            name(node),
            log,
            reading.hlc,
            reading.physicalMicros,
            Event.NO_SEQUENCE,
            Set.of(),
            body));
  }

  static String name(int node) {
    return "clock" + node;
  }

  private static String run(int node) {
    return "run of " + name(node);
  }

  /** The amount to add to each node's clock to get that of the first, by its name. */
  static Map<String, Long> offsetsMicros() {
    Map<String, Long> offsets = new LinkedHashMap<>();
    for (int node = 0; node < BEHIND_MICROS.length; node++) {
      offsets.put(name(node), BEHIND_MICROS[node]);
    }
    return offsets;
  }

  List<Event> events() {
    return events;
  }

  /** The readings of the first clock at the events with a stamp. */
  List<Long> timesMicros(long hlc) {
    return timesMicros.getOrDefault(hlc, List.of());
  }

  long firstHlc() {
    return events.stream().mapToLong(Event::hlc).min().orElseThrow();
  }

  long lastHlc() {
    return events.stream().mapToLong(Event::hlc).max().orElseThrow();
  }

  /** The stamp of an event from the middle. */
  long middleHlc() {
    return events.get(events.size() / 2).hlc();
  }

  /** A block of each node that has events since the last call, with them. */
  List<byte[]> next() {
    List<byte[]> blocks = new ArrayList<>();
    List<Event> since = events.subList(blockedCount, events.size());
    for (int node = 0; node < BEHIND_MICROS.length; node++) {
      String name = name(node);
      List<Event> own = since.stream().filter(event -> event.node().equals(name)).toList();
      if (!own.isEmpty()) {
        EventBlockBuilder builder =
            new EventBlockBuilder().incarnation(run(node), blockCounts.merge(name, 1L, Long::sum));
        own.forEach(builder::add);
        blocks.add(
            EventBlockCodec.encode(builder.promise(own.get(own.size() - 1).hlc(), 0).build()));
      }
    }
    blockedCount = events.size();
    return blocks;
  }

  /** Promises of all nodes, that their later events are above a stamp. */
  List<byte[]> promises(long hlc) {
    List<byte[]> promises = new ArrayList<>();
    for (int node = 0; node < BEHIND_MICROS.length; node++) {
      long blocks = blockCounts.getOrDefault(name(node), 0L);
      promises.add(
          EventBlockCodec.encode(EventBlock.heartbeat(name(node), run(node), blocks, hlc, 0)));
    }
    return promises;
  }

  /** The blocks of each node, in order. */
  Map<String, List<byte[]>> frames() {
    Map<String, List<byte[]>> frames = new LinkedHashMap<>();
    for (int node = 0; node < BEHIND_MICROS.length; node++) {
      String name = name(node);
      List<Event> own = events.stream().filter(event -> event.node().equals(name)).toList();
      List<byte[]> blocks = new ArrayList<>();
      for (int from = 0; from < own.size(); from += BLOCK_EVENTS) {
        EventBlockBuilder builder =
            new EventBlockBuilder().incarnation(run(node), blocks.size() + 1);
        own.subList(from, Math.min(own.size(), from + BLOCK_EVENTS)).forEach(builder::add);
        blocks.add(EventBlockCodec.encode(builder.build()));
      }
      frames.put(name, blocks);
    }
    return frames;
  }
}
