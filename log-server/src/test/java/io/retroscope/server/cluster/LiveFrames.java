// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The blocks of {@link ClusterFixture#staleness} in an order in which no event is late. */
final class LiveFrames {
  /** One promise of each node, so that all are known before any query begins. */
  private final List<byte[]> first = new ArrayList<>();

  /** The blocks in turns of the nodes, and a last promise of each. */
  private final List<List<byte[]>> turns = new ArrayList<>();

  private final byte[] late;
  private long knownHlc = Long.MAX_VALUE;
  private long endHlc = Long.MIN_VALUE;

  LiveFrames(long seed, int nodes, int versions) throws Exception {
    Map<String, List<byte[]>> frames = ClusterFixture.staleness(seed, nodes, versions);
    int length = 0;
    for (List<byte[]> own : frames.values()) {
      length = Math.max(length, own.size());
      knownHlc = Math.min(knownHlc, EventBlockCodec.decodeBlock(own.get(0)).firstHlc() - 1);
      EventBlock last = EventBlockCodec.decodeBlock(own.get(own.size() - 1));
      endHlc = Math.max(endHlc, HlcTimestamp.pack(HlcTimestamp.micros(last.lastHlc()) + 1));
    }
    for (List<byte[]> own : frames.values()) {
      first.add(promise(EventBlockCodec.decodeBlock(own.get(0)), 0, knownHlc));
    }
    for (int i = 0; i < length; i++) {
      List<byte[]> turn = new ArrayList<>();
      for (List<byte[]> own : frames.values()) {
        if (i < own.size()) {
          turn.add(own.get(i));
        }
      }
      turns.add(turn);
    }
    List<byte[]> promises = new ArrayList<>();
    for (List<byte[]> own : frames.values()) {
      EventBlock last = EventBlockCodec.decodeBlock(own.get(own.size() - 1));
      promises.add(promise(last, last.number(), endHlc));
    }
    turns.add(promises);
    late = late(frames.values().iterator().next());
  }

  /** A block of a node's first run after its last one, with an event from the middle of the run. */
  private static byte[] late(List<byte[]> own) throws Exception {
    EventBlock last = EventBlockCodec.decodeBlock(own.get(0));
    EventBlock middle = last;
    for (byte[] frame : own) {
      EventBlock block = EventBlockCodec.decodeBlock(frame);
      if (block.incarnation().equals(last.incarnation())) {
        middle = block.number() == 2 ? block : middle;
        last = block;
      }
    }
    Change change = new Change(Operation.SET, "r1", Value.of(-100));
    Event event =
        new Event(last.node(), "setd", middle.lastHlc() + 1, new StateChange(List.of(change)));
    return EventBlockCodec.encode(
        new EventBlockBuilder()
            .incarnation(last.incarnation(), last.number() + 1)
            .add(event)
            .build());
  }

  /** A block that comes late if it is sent after all others. */
  List<byte[]> late() {
    return List.of(late);
  }

  /** A block without events, which says that all later events of the run are above a stamp. */
  private static byte[] promise(EventBlock of, long number, long hlc) {
    return EventBlockCodec.encode(
        EventBlock.heartbeat(of.node(), of.incarnation(), number, hlc, 0));
  }

  List<byte[]> first() {
    return first;
  }

  List<List<byte[]>> turns() {
    return turns;
  }

  /** The watermark after the first promises. */
  long knownHlc() {
    return knownHlc;
  }

  /** The watermark at the end. */
  long endHlc() {
    return endHlc;
  }
}
