// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventKind;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Blocks as nodes send them, of every kind and shape, from a seed. */
public final class RandomLog {
  public static final String LOG = "setd";

  /** Digits of names as numbers, then runs by name. */
  public static final Comparator<Run> TIES =
      Comparator.<Run>comparingInt(run -> Integer.parseInt(run.node().substring(1)))
          .thenComparing(Run::incarnation);

  private static final long BASE = 1_795_200_000_000_000L;
  private static final List<Operation> OPERATIONS = List.of(Operation.values());

  private final Random random;
  private final boolean numbersOnly;

  public RandomLog(long seed, boolean numbersOnly) {
    random = new Random(seed);
    this.numbersOnly = numbersOnly;
  }

  /** Blocks of several runs, shuffled; stamps are equal across runs now and then. */
  public List<EventBlock> blocks(int nodes, int eventsPerRun, int maxBlockRows) {
    List<EventBlock> blocks = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      for (int run = random.nextInt(4) / 3; run >= 0; run--) {
        blocks.addAll(run("n" + node, "run" + run, eventsPerRun, maxBlockRows));
      }
    }
    Collections.shuffle(blocks, random);
    return blocks;
  }

  private List<EventBlock> run(String node, String incarnation, int count, int maxBlockRows) {
    List<EventBlock> blocks = new ArrayList<>();
    long ticks = random.nextInt(50);
    EventBlockBuilder builder = new EventBlockBuilder();
    for (int i = 1; i <= count; i++) {
      ticks += 1 + random.nextInt(5);
      long hlc = HlcTimestamp.pack(BASE + ticks / 3 * 1_000, (int) (ticks % 3));
      builder.add(event(node, incarnation, hlc, i));
      if (builder.size() > random.nextInt(maxBlockRows) || i == count) {
        blocks.add(builder.incarnation(incarnation, blocks.size() + 1L).build());
        builder.clear();
      }
    }
    return blocks;
  }

  private Event event(String node, String incarnation, long hlc, int i) {
    EventBody body = body(incarnation, i);
    Set<EventMark> marks = EnumSet.noneOf(EventMark.class);
    for (EventMark mark : EventMark.values()) {
      if (random.nextInt(20) == 0) {
        marks.add(mark);
      }
    }
    long micros = HlcTimestamp.micros(hlc);
    long physical = random.nextInt(8) == 0 ? Event.NO_PHYSICAL : micros - random.nextInt(900);
    String log = body.kind().isOfNode() ? "" : random.nextInt(9) == 0 ? "other" : LOG;
    long sequence = random.nextInt(9) == 0 ? Event.NO_SEQUENCE : i * 2L;
    return new Event(node, log, hlc, physical, sequence, marks, body);
  }

  private EventBody body(String incarnation, int i) {
    if (random.nextInt(40) == 0) {
      return random.nextBoolean()
          ? new EventBody.Stop()
          : new EventBody.Start(
              random.nextBoolean() ? incarnation : text(), i, text(), EventBody.Spill.PENDING);
    }
    if (numbersOnly) {
      String name = random.nextInt(100) == 0 ? "rare" : "r" + random.nextInt(2);
      boolean unset = random.nextInt(25) == 0;
      Value value = unset ? Value.NullValue.NULL : Value.of(i + random.nextInt(4));
      return new EventBody.StateChange(
          List.of(new Change(unset ? Operation.UNSET : Operation.SET, name, value)));
    }
    return switch (random.nextInt(8)) {
      case 0 -> new EventBody.LogLine(text(), fields(random.nextInt(4)));
      case 1 -> new EventBody.Send(random.nextBoolean() ? "" : "n1", text());
      case 2 -> new EventBody.Receive("n2", text());
      case 3 -> new EventBody.Heartbeat();
      default -> new EventBody.StateChange(changes(1 + random.nextInt(4)));
    };
  }

  private List<Change> changes(int count) {
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Operation operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
      Value value =
          switch (operation) {
            case SET -> value(2);
            case ADD, REMOVE -> set(1);
            case UNSET -> Value.NullValue.NULL;
          };
      int name = random.nextInt(6);
      changes.add(
          new Change(operation, name == 5 ? "rare" + random.nextInt(40) : "v" + name, value));
    }
    return changes;
  }

  private Value value(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> Value.of(random.nextLong());
      case 1 -> Value.of((long) random.nextInt(100));
      case 2 -> Value.of(Double.longBitsToDouble(random.nextLong() >>> 2));
      case 3 -> Value.of(random.nextBoolean());
      case 4 -> Value.of(text());
      case 5 -> Value.NullValue.NULL;
      case 6 -> set(depth - 1);
      default -> new Value.StructValue(fields(2));
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
    Map<String, Value> fields = new LinkedHashMap<>();
    for (int i = count; i > 0; i--) {
      fields.put("f" + i, value(0));
    }
    return fields;
  }

  private String text() {
    return random.nextInt(6) == 0 ? "" : "zäöü\uD83D\uDE00" + random.nextInt(20);
  }

  /** The events of the log, starts and stops in order, by sorting all of them. */
  public static List<Event> inOrder(List<EventBlock> blocks) {
    record Row(Event event, Run run, int block, int row) {}
    List<Row> rows = new ArrayList<>();
    for (int b = 0; b < blocks.size(); b++) {
      EventBlock block = blocks.get(b);
      for (int r = 0; r < block.size(); r++) {
        Event event = block.event(r).of(block.incarnation());
        boolean life = block.kind(r) == EventKind.START || block.kind(r) == EventKind.STOP;
        if (life || (event.log().equals(LOG) && block.kind(r) != EventKind.HEARTBEAT)) {
          rows.add(new Row(event, new Run(event.node(), block.incarnation()), b, r));
        }
      }
    }
    rows.sort(
        Comparator.<Row>comparingLong(row -> row.event.hlc())
            .thenComparing(Row::run, TIES)
            .thenComparingInt(Row::block)
            .thenComparingInt(Row::row));
    return rows.stream().map(Row::event).toList();
  }
}
