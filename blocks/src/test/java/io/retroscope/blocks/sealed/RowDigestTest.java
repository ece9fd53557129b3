// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.RandomLog;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowDigestTest {
  private static final int SEEDS = 200;

  @Test
  void of_rowsThatSetNumbers_isThatOfRowsOfAnyKind() throws CorruptBlockException {
    for (long seed = 0; seed < SEEDS; seed++) {
      EventBlock block = block(numbers(new Random(seed)), "i1");
      assertThat(block.writesLongsOnly()).isTrue();
      assertThat(RowDigest.of(List.of(block)))
          .as("seed %d", seed)
          .isEqualTo(RowDigest.ofRows(block));
      List<SealedBlock> sealed =
          new Sealing("l", new StoreNames(), RandomLog.TIES, 7).seal(List.of(block));
      List<EventBlock> rows = new ArrayList<>();
      for (SealedBlock part : sealed) {
        rows.add(part.rows());
      }
      assertThat(RowDigest.of(rows)).as("seed %d", seed).isEqualTo(RowDigest.ofRows(block));
    }
  }

  @Test
  void of_numbersOfSeveralLogs_isThatOfRowsOfAnyKind() {
    List<Event> events =
        List.of(
            event("n1", "l", 5, 4, 3, Set.of(), set("a", 2)),
            event("n1", "m", 6, 4, 3, Set.of(), set("a", 2)));
    EventBlock block = block(events, "i1");
    assertThat(block.writesLongsOnly()).isTrue();
    assertThat(RowDigest.of(List.of(block))).isEqualTo(RowDigest.ofRows(block));
  }

  @Test
  void of_blocksOfAnyKind_dependsOnNothingButTheirRows() {
    for (long seed = 0; seed < SEEDS; seed++) {
      List<EventBlock> blocks = new RandomLog(seed, false).blocks(3, 40, 20);
      List<EventBlock> others = new ArrayList<>();
      for (EventBlock block : blocks) {
        int middle = block.size() / 2;
        List<Event> events = block.events();
        others.add(block(events.subList(middle, events.size()), block.incarnation()));
        others.add(block(events.subList(0, middle), block.incarnation()));
      }
      assertThat(RowDigest.of(others)).as("seed %d", seed).isEqualTo(RowDigest.of(blocks));
    }
  }

  @Test
  void of_anythingElse_isAnotherNumber() {
    Event event = event("n1", "l", 5, 4, 3, Set.of(), set("a", 2));
    Map<Long, String> seen = new HashMap<>();
    List<Event> events =
        List.of(
            event,
            event("n2", "l", 5, 4, 3, Set.of(), set("a", 2)),
            event("n1", "m", 5, 4, 3, Set.of(), set("a", 2)),
            event("n1", "l", 4, 5, 3, Set.of(), set("a", 2)),
            event("n1", "l", 5, 3, 4, Set.of(), set("a", 2)),
            event("n1", "l", 5, 4, 2, Set.of(), set("a", 3)),
            event("n1", "l", 5, 4, 3, Set.of(EventMark.REPAIR), set("a", 2)),
            event("n1", "l", 5, 4, 3, Set.of(EventMark.UNORDERED), set("a", 2)),
            event("n1", "l", 5, 4, 3, Set.of(), set("b", 2)),
            event("n1", "l", 5, 4, 3, Set.of(), set("a", 3)),
            event("n1", "l", 5, 4, 3, Set.of(), set("a", 2), set("b", 3)),
            event("n1", "l", 5, 4, 3, Set.of(), set("b", 3), set("a", 2)),
            event("n1", "l", 5, 4, 3, Set.of(), set("a", 3), set("b", 2)),
            event("n1", "l", 5, 4, 3, Set.of(), change(Operation.SET, Value.of(true))),
            event("n1", "l", 5, 4, 3, Set.of(), change(Operation.SET, Value.of("2"))),
            event("n1", "l", 5, 4, 3, Set.of(), change(Operation.UNSET, Value.NullValue.NULL)),
            event("n1", "l", 5, 4, 3, Set.of(), change(Operation.SET, Value.NullValue.NULL)));
    for (Event other : events) {
      assertThat(seen.put(RowDigest.of(List.of(block(List.of(other), "i1"))), other.toString()))
          .as("%s", other)
          .isNull();
    }
    assertThat(seen.put(RowDigest.of(List.of(block(List.of(event), "i2"))), "i2")).isNull();
    assertThat(seen.put(RowDigest.of(List.of(block(List.of(event, event), "i1"))), "twice"))
        .isNull();
  }

  @Test
  void of_valuesThatChangePlacesBetweenRows_isAnotherNumber() {
    for (long seed = 0; seed < SEEDS; seed++) {
      List<Event> events = numbers(new Random(seed));
      Event first = events.get(0);
      Event last = events.get(events.size() - 1);
      List<Event> exchanged = new ArrayList<>(events);
      exchanged.set(0, withBody(first, last));
      exchanged.set(events.size() - 1, withBody(last, first));
      boolean isSame = first.body().equals(last.body());
      long digest = RowDigest.of(List.of(block(events, "i1")));
      assertThat(RowDigest.of(List.of(block(exchanged, "i1"))) == digest)
          .as("seed %d", seed)
          .isEqualTo(isSame);
    }
  }

  private static List<Event> numbers(Random random) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 2 + random.nextInt(40); i++) {
      long physical = random.nextInt(5) == 0 ? Event.NO_PHYSICAL : random.nextInt(900);
      long sequence = random.nextInt(5) == 0 ? Event.NO_SEQUENCE : 1 + random.nextInt(50);
      Change set = set("v" + random.nextInt(3), random.nextInt(9));
      events.add(event("n" + random.nextInt(3), "l", 1 + i / 2, physical, sequence, Set.of(), set));
    }
    return events;
  }

  private static Event withBody(Event event, Event other) {
    return new Event(
        event.node(),
        event.log(),
        event.hlc(),
        event.physicalMicros(),
        event.sequence(),
        event.marks(),
        other.body());
  }

  private static Event event(
      String node,
      String log,
      long hlc,
      long physical,
      long sequence,
      Set<EventMark> marks,
      Change... changes) {
    StateChange body = new StateChange(List.of(changes));
    return new Event(node, log, hlc, physical, sequence, marks, body);
  }

  private static Change set(String name, long number) {
    return new Change(Operation.SET, name, Value.of(number));
  }

  private static Change change(Operation operation, Value value) {
    return new Change(operation, "a", value);
  }

  private static EventBlock block(List<Event> events, String incarnation) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation(incarnation, 0);
    events.forEach(builder::add);
    return builder.build();
  }
}
