// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A generator of small executions of two to five nodes: writes of {@code x} and {@code y} and the
 * line {@code p} in the log {@code t}, and messages.
 */
final class RandomExecution {
  private final Random random;
  private final boolean grows;
  private final String net;
  private final List<Event> events = new ArrayList<>();
  private final List<Event> sends = new ArrayList<>();

  /**
   * Creates a generator.
   *
   * @param net the log of messages
   */
  RandomExecution(Random random, String net) {
    this.random = random;
    this.net = net;
    this.grows = random.nextBoolean();
  }

  /** The events; those of each node are in the order of their stamps. */
  List<Event> events() {
    int nodes = 2 + random.nextInt(4);
    int count = 4 + random.nextInt(7);
    // One write of each variable, so that all names are known.
    write("n1", 1, "x", Value.of(0));
    write("n1", 2, "y", Value.of(0));
    long tick = 4;
    for (int i = 0; i < count; i++) {
      tick += random.nextInt(4) == 0 ? 0 : 1;
      String node = "n" + (1 + random.nextInt(nodes));
      long hlc = stamp(tick);
      if (events.stream().anyMatch(e -> e.node().equals(node) && e.hlc() == hlc)) {
        tick++;
      }
      add(node, tick, nodes);
    }
    for (int node = 2; node <= nodes; node++) {
      addIfUnknown("n" + node);
    }
    return events;
  }

  private void addIfUnknown(String node) {
    if (events.stream().noneMatch(event -> event.node().equals(node))) {
      events.add(new Event(node, net, stamp(3), new EventBody.Send("", "of " + node)));
    }
  }

  private static long stamp(long tick) {
    return HlcTimestamp.pack(tick);
  }

  private void add(String node, long tick, int nodes) {
    switch (random.nextInt(8)) {
      case 0 -> events.add(new Event(node, "t", stamp(tick), new EventBody.LogLine("p", Map.of())));
      case 1, 2 -> send(node, tick, nodes);
      case 3, 4 -> receive(node, tick);
      case 5 -> write(node, tick, "y", number("y", node));
      default -> write(node, tick, "x", number("x", node));
    }
  }

  private Value number(String variable, String node) {
    if (!grows) {
      return random.nextInt(6) == 0 ? NullValue.NULL : Value.of(random.nextInt(4));
    }
    long last = 0;
    for (Event event : events) {
      if (event.node().equals(node)
          && event.body() instanceof EventBody.StateChange change
          && change.changes().get(0).variable().equals(variable)) {
        last = ((Value.LongValue) change.changes().get(0).value()).value();
      }
    }
    return Value.of(last + random.nextInt(3));
  }

  /** NULL removes the value. */
  private void write(String node, long tick, String variable, Value value) {
    Operation operation = value instanceof NullValue ? Operation.UNSET : Operation.SET;
    events.add(
        new Event(
            node,
            "t",
            stamp(tick),
            new EventBody.StateChange(List.of(new Change(operation, variable, value)))));
  }

  private void send(String node, long tick, int nodes) {
    String to = random.nextInt(3) == 0 ? "" : "n" + (1 + random.nextInt(nodes));
    Event send =
        new Event(node, net, stamp(tick), new EventBody.Send(to, "m" + (1 + sends.size())));
    sends.add(send);
    events.add(send);
  }

  /** Any node may receive a message without a receiver, even several times. */
  private void receive(String node, long tick) {
    for (Event send : sends) {
      EventBody.Send body = (EventBody.Send) send.body();
      boolean fits = body.to().isEmpty() || body.to().equals(node);
      if (fits && send.hlc() < stamp(tick) && random.nextBoolean()) {
        String from = random.nextBoolean() ? send.node() : "";
        events.add(new Event(node, net, stamp(tick), new EventBody.Receive(from, body.id())));
        return;
      }
    }
  }
}
