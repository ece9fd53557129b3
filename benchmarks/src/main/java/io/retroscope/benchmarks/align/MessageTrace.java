// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.align;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * The blocks of a cluster in which every event is a send or a receive. Each block has the events of
 * one node; they are in the order in which they are sealed.
 */
final class MessageTrace {
  private static final long START_MICROS = 1_795_200_000_000_001L;
  private static final long BLOCK_PERIOD_MICROS = 50_000;

  private final Random random;
  private final int peerCount;
  private final double[] offset;
  private final double[] rate;
  private final long[] stamp;
  private final int[][] peers;

  /** One end of a message, before it has a stamp. */
  private record End(int node, double micros, int message, int peer, boolean isSend) {}

  /**
   * A trace with the given number of nodes, each of which exchanges messages with {@code peerCount}
   * random others.
   */
  MessageTrace(int nodes, int peerCount) {
    this.peerCount = peerCount;
    random = new Random(nodes);
    offset = random.doubles(nodes, 0, 5_000).toArray();
    rate = random.doubles(nodes, -50e-6, 50e-6).toArray();
    stamp = new long[nodes];
    Arrays.fill(stamp, HlcTimestamp.MIN_PACKED);
    peers = new int[nodes][];
    for (int i = 0; i < nodes; i++) {
      int self = i;
      peers[i] = random.ints(0, nodes).filter(p -> p != self).distinct().limit(peerCount).toArray();
    }
  }

  /** The blocks of the given number of messages at the given rate. */
  List<EventBlock> blocks(int messages, int messagesPerSecond) {
    List<End> ends = new ArrayList<>(2 * messages);
    for (int m = 0; m < messages; m++) {
      int one = random.nextInt(offset.length);
      int other = peers[one][random.nextInt(peerCount)];
      boolean forth = random.nextBoolean();
      int from = forth ? one : other;
      int to = forth ? other : one;
      double sent = m * 1e6 / messagesPerSecond;
      double received = sent + 200 - 400 * Math.log(1 - random.nextDouble());
      ends.add(new End(from, sent, m, to, true));
      ends.add(new End(to, received, m, from, false));
    }
    ends.sort(Comparator.comparingDouble(End::micros));
    return seal(stamped(ends, messages));
  }

  private List<Event> stamped(List<End> ends, int messages) {
    long[] carried = new long[messages];
    List<Event> events = new ArrayList<>(ends.size());
    for (End end : ends) {
      int node = end.node;
      long reading = START_MICROS + (long) (end.micros + offset[node] + rate[node] * end.micros);
      long least = end.isSend ? stamp[node] : Math.max(stamp[node], carried[end.message]);
      stamp[node] = Math.max(least + 1, HlcTimestamp.pack(reading));
      String id = "m-" + end.message;
      EventBody body =
          end.isSend
              ? new EventBody.Send(name(end.peer), id)
              : new EventBody.Receive(name(end.peer), id);
      carried[end.message] = stamp[node];
      events.add(new Event(name(node), "", stamp[node], reading, 0, Set.of(), body));
    }
    return events;
  }

  private List<EventBlock> seal(List<Event> events) {
    List<EventBlock> blocks = new ArrayList<>();
    List<List<Event>> open = new ArrayList<>();
    for (int i = 0; i < offset.length; i++) {
      open.add(new ArrayList<>());
    }
    long sealed = events.get(0).hlc();
    for (Event event : events) {
      if (HlcTimestamp.micros(event.hlc()) > HlcTimestamp.micros(sealed) + BLOCK_PERIOD_MICROS) {
        sealed = event.hlc();
        sealAll(open, blocks);
      }
      open.get(Integer.parseInt(event.node().substring(1))).add(event);
    }
    sealAll(open, blocks);
    return blocks;
  }

  private static void sealAll(List<List<Event>> open, List<EventBlock> blocks) {
    for (List<Event> events : open) {
      if (!events.isEmpty()) {
        blocks.add(EventBlock.of(events));
        events.clear();
      }
    }
  }

  private static String name(int node) {
    return "n" + node;
  }
}
