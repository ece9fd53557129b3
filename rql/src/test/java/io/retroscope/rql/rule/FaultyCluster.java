// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A simulated cluster that records its events: nodes with wrong clocks, messages that take their
 * time and carry the hybrid logical clock, pauses of processes, and other work on all nodes. The
 * same seed gives the same events. Used by one thread.
 */
final class FaultyCluster {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final long MAX_SKEW_MICROS = 3_000;

  private final Random random;
  private final List<String> nodes;
  private final long workMicros;
  private final PriorityQueue<Step> steps =
      new PriorityQueue<>(
          Comparator.comparingLong((Step step) -> step.micros).thenComparingLong(s -> s.number));
  private final Map<String, Long> skew = new HashMap<>();
  private final Map<String, Long> stamps = new HashMap<>();
  private final Map<String, Long> pausedUntil = new HashMap<>();
  private final List<Event> events = new ArrayList<>();
  private final Map<String, Consumer<Event>> sends = new HashMap<>();
  private final Map<String, Consumer<Event>> receipts = new HashMap<>();
  private long now;
  private long steppedSoFar;
  private long pings;
  private Optional<Event> cause = Optional.empty();

  private record Step(long micros, long number, String node, Runnable action) {}

  /**
   * Creates a cluster that has not run.
   *
   * @param workMicros between two other events of a node, on average
   */
  FaultyCluster(long seed, List<String> nodes, long workMicros) {
    this.workMicros = workMicros;
    this.random = new Random(seed);
    this.nodes = nodes;
    for (String node : nodes) {
      skew.put(node, random.nextLong(-MAX_SKEW_MICROS, MAX_SKEW_MICROS));
    }
  }

  List<String> nodes() {
    return nodes;
  }

  /** The time since the start in milliseconds, without the nodes' skew. */
  int millis() {
    return (int) (now / 1_000);
  }

  /** Calls back with the send of a message. */
  void onSend(String id, Consumer<Event> listener) {
    sends.put(id, listener);
  }

  /** Calls back with the receipt of a message, before its effects. */
  void onReceipt(String id, Consumer<Event> listener) {
    receipts.put(id, listener);
  }

  Random random() {
    return random;
  }

  /** A random one of some nodes. */
  String any(List<String> some) {
    return some.get(random.nextInt(some.size()));
  }

  /** Runs an action of a node later; while the node is paused, it waits. */
  void later(String node, long micros, Runnable action) {
    steps.add(new Step(now + micros, steppedSoFar++, node, action));
  }

  /** Stops a process for some time. */
  void pause(String node, long micros) {
    pausedUntil.put(node, now + micros);
  }

  Event set(String node, String log, String variable, Object value) {
    return set(node, log, Map.of(variable, value));
  }

  Event set(String node, String log, Map<String, Object> values) {
    List<Change> changes = new ArrayList<>();
    values.forEach((name, value) -> changes.add(new Change(Operation.SET, name, value(value))));
    return record(node, log, new StateChange(changes), HlcTimestamp.MIN_PACKED);
  }

  Event add(String node, String log, String variable, Object element) {
    Value set = Value.setOf(value(element));
    return record(
        node,
        log,
        new StateChange(List.of(new Change(Operation.ADD, variable, set))),
        HlcTimestamp.MIN_PACKED);
  }

  Event line(String node, String log, String message, Map<String, Object> fields) {
    Map<String, Value> values = new HashMap<>();
    fields.forEach((name, value) -> values.put(name, value(value)));
    return record(node, log, new LogLine(message, values), HlcTimestamp.MIN_PACKED);
  }

  /** Sends a message over a link without a fault. */
  Event send(String from, String to, String id, Runnable received) {
    return send(from, to, id, 200 + random.nextInt(1_500), received);
  }

  /** Sends a message that takes some time. */
  Event send(String from, String to, String id, long micros, Runnable received) {
    Event send = record(from, "net", new Send(to, id), HlcTimestamp.MIN_PACKED);
    sends.getOrDefault(id, event -> {}).accept(send);
    later(
        to,
        micros,
        () -> {
          Event receipt = record(to, "net", new Receive(from, id), send.hlc());
          receipts.getOrDefault(id, event -> {}).accept(receipt);
          received.run();
        });
    return send;
  }

  /** Sends a message that is lost. */
  Event lose(String from, String to, String id) {
    return record(from, "net", new Send(to, id), HlcTimestamp.MIN_PACKED);
  }

  private static Value value(Object value) {
    if (value instanceof Value already) {
      return already;
    }
    return value instanceof Boolean truth
        ? Value.of(truth)
        : value instanceof Integer number ? Value.of(number) : Value.of(value.toString());
  }

  private Event record(String node, String log, EventBody body, long received) {
    long physical = HlcTimestamp.pack(START_MICROS + now + skew.get(node));
    long stamp =
        Math.max(
            physical, Math.max(stamps.getOrDefault(node, HlcTimestamp.MIN_PACKED), received) + 1);
    stamps.put(node, stamp);
    Event event = new Event(node, log, stamp, body);
    events.add(event);
    return event;
  }

  /** The latest event of a node. */
  Event latest(String node) {
    for (int i = events.size() - 1; i >= 0; i--) {
      if (events.get(i).node().equals(node)) {
        return events.get(i);
      }
    }
    throw new IllegalStateException(node + " has recorded nothing");
  }

  /** Declares the event from which the injected fault starts. */
  void injected(Event event) {
    cause = Optional.of(event);
  }

  Optional<Event> cause() {
    return cause;
  }

  /** Lets all nodes do other work. */
  void work(long untilMicros) {
    for (String node : nodes) {
      workOf(node, untilMicros);
    }
  }

  private void workOf(String node, long until) {
    later(
        node,
        1 + random.nextLong(2 * workMicros),
        () -> {
          if (now > until) {
            return;
          }
          switch (random.nextInt(4)) {
            case 0 -> line(node, "work", "job done", Map.of("job", random.nextInt(1_000)));
            case 1 -> set(node, "work", "queue", random.nextInt(50));
            default -> send(node, any(nodes), "ping" + pings++, () -> {});
          }
          workOf(node, until);
        });
  }

  /** Runs everything, and returns the recorded events. */
  List<Event> run() {
    while (!steps.isEmpty()) {
      Step step = steps.remove();
      now = Math.max(now, step.micros);
      long until = pausedUntil.getOrDefault(step.node, 0L);
      if (until > now) {
        steps.add(new Step(until, step.number, step.node, step.action));
      } else {
        step.action.run();
      }
    }
    return List.copyOf(events);
  }
}
