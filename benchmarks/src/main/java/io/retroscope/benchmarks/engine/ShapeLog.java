// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Logs of three nodes whose events are not all of one LONG variable. An event is written every 100
 * to 500 microseconds by a node that is chosen at random.
 */
final class ShapeLog {
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final int NODES = 3;
  private static final int LOG_LINE_ONE_OF = 100;

  /** The number of events of a block at most; of so many, {@link #rare} has one in thousand. */
  private static final int BLOCK = 8_192;

  /** Changes the state of one node. */
  interface Writer {
    EventBody write(Random random, int node, int event);
  }

  private ShapeLog() {}

  /** The events of a log. */
  static List<Event> of(String log, int count, long seed, Writer writer) {
    Random random = new Random(seed);
    List<Event> events = new ArrayList<>(count);
    long micros = START_MICROS;
    for (int i = 0; i < count; i++) {
      micros += 100 + random.nextInt(400);
      int node = i < NODES ? i : random.nextInt(NODES);
      EventBody body = writer.write(random, node, i);
      events.add(new Event("zk" + node, log, HlcTimestamp.pack(micros), body));
    }
    return events;
  }

  private static EventBody set(String variable, Value value) {
    return new EventBody.StateChange(List.of(change(variable, value)));
  }

  private static Change change(String variable, Value value) {
    return new Change(Operation.SET, variable, value);
  }

  /** Three LONG variables that are written in turn and rise. */
  static Writer threeLongs() {
    long[] numbers = new long[3 * NODES];
    return (random, node, event) -> {
      int variable = random.nextInt(3);
      return set("r" + (1 + variable), Value.of(++numbers[3 * node + variable]));
    };
  }

  /** The same of three LONG variables that are written together. */
  static Writer threeLongsAtOnce() {
    long[] numbers = new long[NODES];
    return (random, node, event) -> {
      long number = ++numbers[node];
      return new EventBody.StateChange(
          List.of(
              change("r1", Value.of(number)),
              change("r2", Value.of(number - random.nextInt(3))),
              change("r3", Value.of(number - random.nextInt(5)))));
    };
  }

  /** A role that changes now and then, between versions. */
  static Writer roles() {
    long[] numbers = new long[NODES];
    String[] roles = {"follower", "candidate", "observer", "follower"};
    return (random, node, event) ->
        random.nextInt(4) == 0
            ? set("role", Value.of(random.nextInt(2_000) == 0 ? "leader" : roles[event % 4]))
            : set("r1", Value.of(++numbers[node]));
  }

  /** A DOUBLE that is mostly small. */
  static Writer loads() {
    return (random, node, event) ->
        set("load", Value.of(random.nextInt(100_000) == 0 ? 0.99 : random.nextInt(900) / 1_000.0));
  }

  /** A BOOLEAN that is mostly TRUE. */
  static Writer flags() {
    return (random, node, event) -> set("ready", Value.of(random.nextInt(100) > 0));
  }

  /** A rising LONG between log lines. */
  static Writer mixed() {
    long[] numbers = new long[NODES];
    return (random, node, event) ->
        random.nextInt(LOG_LINE_ONE_OF) == 0
            ? new EventBody.LogLine("slow", Map.of("millis", Value.of(event)))
            : set("r1", Value.of(++numbers[node]));
  }

  /** A rising LONG, and another one that few blocks have. */
  static Writer rare() {
    long[] numbers = new long[NODES];
    return (random, node, event) ->
        event < NODES || event / BLOCK % 1_000 == 500
            ? set("alarm", Value.of(random.nextInt(3)))
            : set("r1", Value.of(++numbers[node]));
  }

  /** Many variables, each as often. */
  static Writer each(int variables) {
    return (random, node, event) ->
        set("v" + random.nextInt(variables), Value.of(random.nextInt(100)));
  }
}
