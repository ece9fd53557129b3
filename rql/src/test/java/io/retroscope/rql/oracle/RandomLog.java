// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A generator of small logs {@code t} with the variables a, b, c (numbers), d (structs), s (sets)
 * and u (anything).
 */
final class RandomLog {
  private final Random random;
  private final Map<Long, List<String>> taken = new LinkedHashMap<>();

  RandomLog(Random random) {
    this.random = random;
  }

  List<Event> events() {
    List<Event> events = new ArrayList<>();
    // The first high bits, which nextInt(4) would take, are the same for neighbouring seeds.
    int nodes = 1 + random.nextInt(60) % 4;
    int count = 5 + random.nextInt(40);
    long micros = 1_000;
    int logical = 0;
    // One write of each variable, so that all are known.
    events.add(
        new Event(
            "n1",
            "t",
            HlcTimestamp.pack(micros),
            new EventBody.StateChange(
                List.of(
                    set("a", Value.of(1)),
                    set("b", Value.of(2)),
                    set("c", Value.of(0)),
                    set("d", new StructValue(Map.of("x", Value.of(1)))),
                    set("s", Value.setOf(Value.of(1))),
                    set("u", Value.of("x"))))));
    events.add(
        new Event(
            "n2",
            "t",
            HlcTimestamp.pack(micros),
            new EventBody.LogLine("start", Map.of("ms", Value.of(1)))));
    for (int i = 0; i < count; i++) {
      int step = random.nextInt(4);
      micros += step == 3 ? 1 + random.nextInt(5) : 0;
      logical = step == 3 ? 0 : logical + (step == 0 ? 0 : step);
      String node = "n" + (1 + random.nextInt(nodes));
      long hlc = HlcTimestamp.pack(micros, logical);
      List<String> there = taken.computeIfAbsent(hlc, h -> new ArrayList<>(List.of("")));
      if (!there.contains(node)) {
        there.add(node);
        if (hlc != HlcTimestamp.pack(1_000)) {
          events.add(event(node, hlc));
        }
      }
    }
    return events;
  }

  private Event event(String node, long hlc) {
    return switch (random.nextInt(18)) {
      case 0 -> new Event(node, "", hlc, new EventBody.Stop());
      case 1 ->
          new Event(
              node,
              "",
              hlc,
              new EventBody.Start(
                  "i" + random.nextInt(2), HlcTimestamp.MIN_PACKED, "", EventBody.Spill.COMPLETE));
      case 2 -> new Event(node, "", hlc, new EventBody.Heartbeat());
      case 3 ->
          new Event(
              node,
              "t",
              hlc,
              new EventBody.LogLine(
                  word(),
                  random.nextBoolean() ? Map.of() : Map.of("ms", Value.of(random.nextInt(9)))));
      case 4 -> new Event(node, "t", hlc, new EventBody.Send("n1", "m" + random.nextInt(3)));
      case 5 -> new Event(node, "t", hlc, new EventBody.Receive("n2", "m" + random.nextInt(3)));
      default -> new Event(node, "t", hlc, new EventBody.StateChange(changes()));
    };
  }

  private List<Change> changes() {
    List<Change> changes = new ArrayList<>();
    for (String variable : List.of("a", "b", "c", "d", "s", "u")) {
      if (random.nextInt(3) == 0) {
        changes.add(change(variable));
      }
    }
    return changes.isEmpty() ? List.of(set("a", Value.of(random.nextInt(5)))) : changes;
  }

  private Change change(String variable) {
    if (random.nextInt(12) == 0) {
      return new Change(Operation.UNSET, variable, NullValue.NULL);
    }
    if (variable.equals("s")) {
      Operation operation =
          List.of(Operation.SET, Operation.ADD, Operation.REMOVE).get(random.nextInt(3));
      return new Change(
          operation,
          variable,
          Value.setOf(Value.of(random.nextInt(4)), Value.of(random.nextInt(4))));
    }
    if (variable.equals("d")) {
      Map<String, Value> fields = new LinkedHashMap<>();
      fields.put("x", random.nextInt(5) == 0 ? NullValue.NULL : Value.of(random.nextInt(4)));
      if (random.nextBoolean()) {
        fields.put("y", Value.of(word()));
      }
      return set(variable, random.nextInt(8) == 0 ? NullValue.NULL : new StructValue(fields));
    }
    if (variable.equals("u")) {
      return set(
          variable,
          switch (random.nextInt(5)) {
            case 0 -> NullValue.NULL;
            case 1 -> Value.of(word());
            case 2 -> Value.of(random.nextInt(4) + 0.5);
            default -> Value.of(random.nextInt(4));
          });
    }
    return set(variable, number());
  }

  /** Returns mostly small LONGs, and extreme values. */
  private Value number() {
    return switch (random.nextInt(90)) {
      case 0 -> Value.of(Long.MAX_VALUE - random.nextInt(2));
      case 1 -> Value.of(Long.MIN_VALUE + random.nextInt(3));
      case 2, 3 -> Value.of(random.nextInt(8) / 2.0);
      case 4 -> Value.of(-0.0);
      case 5 -> Value.of(random.nextBoolean() ? 0x1p63 : 1e308);
      case 6 -> Value.of(random.nextBoolean() ? Double.NaN : Double.POSITIVE_INFINITY);
      default -> Value.of(random.nextInt(6));
    };
  }

  private String word() {
    return List.of("x", "y", "timeout").get(random.nextInt(3));
  }

  private static Change set(String variable, Value value) {
    return new Change(Operation.SET, variable, value);
  }
}
