// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.simulate.clocks;

import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ObjIntConsumer;

/**
 * The simulated nodes and the messages between them, as a source of real events in order of true
 * time.
 */
final class DriftCluster {
  private static final long START_MICROS = 1_795_200_000_000_123L;

  private final DriftModel model;
  private final SplittableRandom random;
  private final ObjIntConsumer<Event> events;
  private final List<Node> nodes = new ArrayList<>();
  private final PriorityQueue<Occurrence> pending = new PriorityQueue<>();
  private final int steppingNode;
  private double trueMicros;
  private long sequence;

  /**
   * An action at an instant of true time; of several at one instant the first scheduled runs first.
   */
  private record Occurrence(double atMicros, long number, Runnable action)
      implements Comparable<Occurrence> {
    @Override
    public int compareTo(Occurrence other) {
      int order = Double.compare(atMicros, other.atMicros);
      return order == 0 ? Long.compare(number, other.number) : order;
    }
  }

  /** One node, its physical clock and its hybrid clock. */
  private final class Node {
    private final int number;
    private final String name;
    private final double offsetMicros;
    private final double rate;
    private final HybridLogicalClock clock =
        new HybridLogicalClock(this::readingMicros, Long.MAX_VALUE / 4, RemotePolicy.ACCEPT);
    private double steppedMicros;

    Node(int number, double offsetMicros, double rate) {
      this.number = number;
      this.name = "n" + number;
      this.offsetMicros = offsetMicros;
      this.rate = rate;
    }

    /** The reading of an exact clock since the start. */
    double exactMicros() {
      return trueMicros * (1 + rate) + offsetMicros + steppedMicros;
    }

    long readingMicros() {
      return START_MICROS + (long) Math.floor(exactMicros());
    }

    void record(long hlc, EventBody body) {
      events.accept(new Event(name, "net", hlc, readingMicros(), 0, Set.of(), body), number);
    }
  }

  /**
   * Starts the clocks.
   *
   * @param events receives every send and receive when it happens, with its node's number
   */
  DriftCluster(DriftModel model, SplittableRandom random, ObjIntConsumer<Event> events) {
    this.model = model;
    this.random = random;
    this.events = events;
    for (int i = 0; i < DriftModel.NODES; i++) {
      double offset = between(DriftModel.MOST_OFFSET_MICROS);
      nodes.add(new Node(i, offset, between(model.ratePpm() * 1e-6)));
    }
    steppingNode = random.nextInt(DriftModel.NODES);
    nodes.forEach(this::scheduleSend);
    at(
        model.stepSecond() * 1e6,
        () -> nodes.get(steppingNode).steppedMicros = 1_000 * model.stepMillis());
  }

  /** A uniform random value of at most this size, of either sign, in its unit. */
  private double between(double most) {
    return most * (2 * random.nextDouble() - 1);
  }

  private void at(double instantMicros, Runnable action) {
    pending.add(new Occurrence(instantMicros, sequence++, action));
  }

  private void scheduleSend(Node node) {
    double pauseSeconds = -Math.log1p(-random.nextDouble()) / DriftModel.SENDS_A_SECOND;
    at(trueMicros + 1e6 * pauseSeconds, () -> send(node));
  }

  private void send(Node sender) {
    int other = random.nextInt(nodes.size() - 1);
    Node receiver = nodes.get(other < sender.number ? other : other + 1);
    String id = Long.toString(sequence);
    long stamp = sender.clock.tick();
    sender.record(stamp, new EventBody.Send(receiver.name, id));
    at(
        trueMicros + model.delay().sampleMicros(random),
        () ->
            receiver.record(receiver.clock.observe(stamp), new EventBody.Receive(sender.name, id)));
    scheduleSend(sender);
  }

  /** Runs everything up to an instant of true time. */
  void runUntil(double instantMicros) {
    while (!pending.isEmpty() && pending.element().atMicros <= instantMicros) {
      Occurrence next = pending.remove();
      trueMicros = next.atMicros;
      next.action.run();
    }
  }

  /** The instant of true time of the last action. */
  double trueMicros() {
    return trueMicros;
  }

  String name(int node) {
    return nodes.get(node).name;
  }

  /** The amount to add to a node's exact reading now to get the reference node's. */
  double trueOffsetMicros(int reference, int node) {
    return nodes.get(reference).exactMicros() - nodes.get(node).exactMicros();
  }

  /** The node whose clock steps. */
  int steppingNode() {
    return steppingNode;
  }
}
