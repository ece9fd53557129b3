// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Events of every kind and shape, from a seed. */
final class RandomEvents {
  private static final long BASE = 1_795_200_000_000_000L;

  private static final List<EventBody.Operation> OPERATIONS = List.of(EventBody.Operation.values());

  private final Random random;

  RandomEvents(long seed) {
    random = new Random(seed);
  }

  /** Events of {@code nodeCount} nodes, stamps distinct within each. */
  List<Event> events(int count, int nodeCount) {
    List<Event> events = new ArrayList<>();
    long micros = BASE;
    int logical = 0;
    for (int i = 0; i < count; i++) {
      int step = random.nextInt(4) == 0 ? 0 : random.nextInt(5_000) + 1;
      micros += step;
      logical = step == 0 ? logical + 1 : random.nextInt(3);
      events.add(event("node" + random.nextInt(nodeCount), HlcTimestamp.pack(micros, logical), i));
    }
    return events;
  }

  private Event event(String node, long hlc, int i) {
    EventBody body = body();
    boolean logless = body instanceof EventBody.Start || body instanceof EventBody.Stop;
    Set<EventMark> marks = EnumSet.noneOf(EventMark.class);
    for (EventMark mark : EventMark.values()) {
      if (random.nextInt(8) == 0) {
        marks.add(mark);
      }
    }
    long physical =
        random.nextInt(8) == 0
            ? Event.NO_PHYSICAL
            : HlcTimestamp.micros(hlc) - random.nextInt(200_000);
    String log = logless ? "" : "log" + random.nextInt(3);
    return new Event(node, log, hlc, physical, random.nextInt(5) == 0 ? 0 : i + 1, marks, body);
  }

  private EventBody body() {
    return switch (random.nextInt(8)) {
      case 0 -> new EventBody.LogLine(text(), fields(random.nextInt(4)));
      case 1 -> new EventBody.Send(random.nextBoolean() ? "" : "node1", text());
      case 2 -> new EventBody.Receive("node2", text());
      case 3 -> new EventBody.Start(text(), random.nextLong(), text(), EventBody.Spill.PENDING);
      case 4 -> random.nextBoolean() ? new EventBody.Stop() : new EventBody.Heartbeat();
      default -> new EventBody.StateChange(changes(1 + random.nextInt(4)));
    };
  }

  private List<EventBody.Change> changes(int count) {
    List<EventBody.Change> changes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      EventBody.Operation operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
      Value value =
          switch (operation) {
            case SET -> value(3);
            case ADD, REMOVE -> set(2);
            case UNSET -> Value.NullValue.NULL;
          };
      changes.add(new EventBody.Change(operation, "v" + random.nextInt(5), value));
    }
    return changes;
  }

  Value value(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> Value.of(random.nextLong());
      case 1 -> Value.of((long) random.nextInt(100));
      case 2 -> Value.of(Double.longBitsToDouble(random.nextLong() >>> 2));
      case 3 -> Value.of(random.nextBoolean());
      case 4 -> Value.of(text());
      case 5 -> Value.NullValue.NULL;
      case 6 -> set(depth - 1);
      default -> new Value.StructValue(new LinkedHashMap<>(fieldsOfDepth(2, depth - 1)));
    };
  }

  private Value set(int depth) {
    List<Value> elements = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      elements.add(value(depth));
    }
    return new Value.SetValue(elements);
  }

  private Map<String, Value> fields(int count) {
    return fieldsOfDepth(count, 2);
  }

  private Map<String, Value> fieldsOfDepth(int count, int depth) {
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      fields.put("f" + i, value(depth));
    }
    return fields;
  }

  String text() {
    return random.nextInt(6) == 0 ? "" : "zäöü\uD83D\uDE00" + random.nextInt(20);
  }
}
