// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.ArrayList;
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

  /** By the first clock. */
  private long micros = ClusterFixture.START_MICROS - 10_000_000;

  SkewedNodes(long seed, int messages) {
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
    for (int message = 0; message < messages; message++) {
      exchange(message);
    }
    for (int node = 0; node < BEHIND_MICROS.length; node++) {
      add(node, "", new EventBody.Stop());
    }
  }

  /** A node changes its state and sends a message; another one receives it, and does the same. */
  private void exchange(int message) {
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

  /** The stamp of an event from the middle. */
  long middleHlc() {
    return events.get(events.size() / 2).hlc();
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
