// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.RandomLog;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.ChangesByVariable;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventBody.Stop;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class SealedRowsTest {
  private static final int SEEDS = 400;

  /** The variables of a log of numbers, of which the last is written rarely. */
  private static final List<String> VARIABLES = List.of("a", "b", "c", "rare");

  @Test
  void columns_randomNumbers_haveTheRowsOfSingleEvents() throws CorruptBlockException {
    int inBulk = 0;
    int notLongs = 0;
    int byRow = 0;
    int single = 0;
    int alike = 0;
    int oneInEachRow = 0;
    int withLines = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      StoreNames names = new StoreNames();
      List<String> chosen = VARIABLES.stream().filter(name -> random.nextInt(3) > 0).toList();
      Predicate<String> wanted = random.nextInt(3) == 0 ? name -> true : chosen::contains;
      for (SealedBlock block : sealed(names, random)) {
        EventBlock found = new SealedRows(block, wanted).columns();
        List<Event> expected = oneByOne(block, wanted);
        if (found != null) {
          inBulk++;
          oneInEachRow += found.changeCount() == block.rowCount() ? 1 : 0;
          alike += found.changeCount() > found.size() ? 1 : 0;
          single += assertReadings(found, expected, random, seed);
          assertThat(found.events()).as("seed %d", seed).isEqualTo(expected);
          notLongs += found.writesLongsOnly() ? 0 : 1;
          withLines += hasLines(found) ? 1 : 0;
        } else {
          byRow++;
        }
        assertThat(block.rows(wanted).events()).as("seed %d", seed).isEqualTo(expected);
      }
    }
    assertThat(oneInEachRow).isGreaterThan(SEEDS / 9);
    assertThat(withLines).isGreaterThan(SEEDS / 30);
    assertThat(alike).isGreaterThan(SEEDS / 9);
    assertThat(inBulk).isGreaterThan(SEEDS / 3);
    assertThat(notLongs).isGreaterThan(SEEDS / 9);
    assertThat(byRow).isGreaterThan(SEEDS / 3);
    assertThat(single).isGreaterThan(SEEDS);
  }

  /** A block is released one or two blocks later, and the arrays of each are used again. */
  @Test
  void columns_randomBlocksOneAfterTheOther_haveTheRowsOfTheOrdinaryWay()
      throws CorruptBlockException {
    int lent = 0;
    int others = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      StoreNames names = new StoreNames();
      ColumnMemory memory = new ColumnMemory();
      Predicate<String> wanted = random.nextInt(3) == 0 ? name -> true : name -> name.equals("a");
      Deque<EventBlock> held = new ArrayDeque<>();
      Deque<List<Event>> heldEvents = new ArrayDeque<>();
      Deque<SealedBlock> sources = new ArrayDeque<>();
      for (SealedBlock sealed : sealed(names, random)) {
        SealedBlock block = random.nextInt(3) == 0 ? sealed.keepingColumns() : sealed;
        EventBlock found = block.columns(wanted, memory);
        lent += found == null ? 0 : 1;
        others += found == null ? 1 : 0;
        if (found != null) {
          held.add(found);
          heldEvents.add(oneByOne(block, wanted));
          sources.add(block);
        }
        while (held.size() > 1 + random.nextInt(2)) {
          EventBlock oldest = held.remove();
          List<Event> expected = heldEvents.remove();
          assertThat(oldest.events()).as("seed %d", seed).isEqualTo(expected);
          memory.release(oldest);
          EventBlock again = sources.remove().rows(wanted);
          assertThat(again.events()).as("seed %d", seed).isEqualTo(expected);
        }
      }
    }
    assertThat(lent).isGreaterThan(SEEDS);
    assertThat(others).isGreaterThan(SEEDS / 3);
  }

  private static boolean hasLines(EventBlock block) {
    ChangesByVariable changes = block.byVariable();
    return changes != null && changes.hasLines();
  }

  /** The events of a block that remain if only some variables are wanted. */
  private static List<Event> oneByOne(SealedBlock block, Predicate<String> wanted)
      throws CorruptBlockException {
    List<Event> all = DecodedEvents.of(block);
    boolean complete =
        all.stream().anyMatch(event -> !event.marks().isEmpty())
            || all.stream().flatMap(event -> changes(event).stream()).allMatch(isOf(wanted));
    List<Event> kept = new ArrayList<>();
    for (Event event : all) {
      List<Change> changes =
          changes(event).stream().filter(change -> complete || isOf(wanted).test(change)).toList();
      if (!changes.isEmpty()) {
        kept.add(with(event, new StateChange(changes)));
      } else if (event.body() instanceof LogLine) {
        kept.add(event);
      }
    }
    return kept;
  }

  private static List<Change> changes(Event event) {
    return event.body() instanceof StateChange state ? state.changes() : List.of();
  }

  private static Predicate<Change> isOf(Predicate<String> wanted) {
    return change -> wanted.test(change.variable());
  }

  private static Event with(Event event, EventBody body) {
    return new Event(
        event.node(),
        event.incarnation(),
        event.log(),
        event.hlc(),
        event.physicalMicros(),
        event.sequence(),
        event.marks(),
        body);
  }

  /** Compares the readings of random rows; returns how many were read before the whole column. */
  private static int assertReadings(
      EventBlock found, List<Event> expected, Random random, long seed) {
    int requests = found.size() == 0 ? 0 : random.nextInt(2 * LateColumn.SINGLE);
    for (int i = 0; i < requests; i++) {
      int row = random.nextInt(found.size());
      assertThat(found.physicalMicros(row))
          .as("seed %d, row %d", seed, row)
          .isEqualTo(expected.get(row).physicalMicros());
    }
    return Math.min(requests, LateColumn.SINGLE);
  }

  private static List<SealedBlock> sealed(StoreNames names, Random random) {
    List<EventBlock> arrivals = new ArrayList<>();
    int variables = 1 + random.nextInt(3);
    int other = random.nextInt(16);
    int unknown = random.nextInt(3) == 0 ? random.nextInt(2) : 9;
    int shape = random.nextInt(5);
    int[] types = new int[VARIABLES.size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = random.nextInt(2) == 0 ? 0 : random.nextInt(4);
    }
    for (int node = 0; node < 1 + random.nextInt(4); node++) {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("i" + node, 1);
      long micros = 1_000;
      for (int i = 0; i < 150; i++) {
        micros += 1 + random.nextInt(3);
        boolean isOther = random.nextInt(60) == 0;
        Event event = event("n" + node, micros, i, variables, types, isOther ? other : 0, random);
        event = isOther ? event : with(event, body(event.body(), shape, variables, types, random));
        builder.add(withReading(event, micros, unknown, random));
      }
      arrivals.add(builder.build());
    }
    return new Sealing(RandomLog.LOG, names, RandomLog.TIES, 120).seal(arrivals);
  }

  /** An event with a reading, unless it has none: 0 for all, 1 for none, else one of so many. */
  private static Event withReading(Event event, long micros, int unknown, Random random) {
    boolean isKnown = unknown == 0 || (unknown > 1 && random.nextInt(unknown) > 0);
    return new Event(
        event.node(),
        event.log(),
        event.hlc(),
        isKnown ? micros - random.nextInt(900) : Event.NO_PHYSICAL,
        event.sequence(),
        event.marks(),
        event.body());
  }

  /** An event that sets one number, or does something else. */
  private static Event event(
      String node, long micros, int i, int variables, int[] types, int other, Random random) {
    long hlc = HlcTimestamp.pack(micros, random.nextInt(9) == 0 ? 1 + random.nextInt(3) : 0);
    long sequence = random.nextInt(9) == 0 ? Event.NO_SEQUENCE : i * 2L + 1;
    Set<EventMark> marks = other == 1 ? Set.of(EventMark.REPAIR) : Set.of();
    String name = VARIABLES.get(random.nextInt(150) == 0 ? 3 : random.nextInt(variables));
    Value own = value(types[VARIABLES.indexOf(name)], random);
    Change set = new Change(Operation.SET, name, own);
    if (other == 2) {
      return new Event(node, "", hlc, 0, sequence, Set.of(), new Stop());
    }
    List<Change> changes =
        switch (other) {
          case 3 -> List.of(set, new Change(Operation.SET, name, number(random)));
          case 4 -> List.of(set, new Change(Operation.SET, "b", number(random)));
          case 5 -> List.of(new Change(Operation.UNSET, name, Value.NullValue.NULL));
          case 6 -> List.of(new Change(Operation.SET, name, Value.of(0.5)));
          case 7 -> List.of(new Change(Operation.SET, name, Value.of("text")));
          default -> List.of(set);
        };
    return new Event(node, RandomLog.LOG, hlc, 0, sequence, marks, new StateChange(changes));
  }

  /** Another body: all variables in their order or another one, some of them, or log lines. */
  private static EventBody body(
      EventBody body, int shape, int variables, int[] types, Random random) {
    if (shape == 4 && random.nextInt(9) == 0) {
      return new LogLine("slow", random.nextBoolean() ? Map.of() : Map.of("a", number(random)));
    }
    List<Change> changes = new ArrayList<>();
    for (int i = 0; i < variables && shape > 0; i++) {
      int variable = shape == 2 ? variables - 1 - i : i;
      if (shape < 3 || random.nextBoolean()) {
        changes.add(set(VARIABLES.get(variable), value(types[variable], random)));
      }
    }
    return changes.isEmpty() ? body : new StateChange(changes);
  }

  private static Change set(String variable, Value value) {
    return new Change(Operation.SET, variable, value);
  }

  private static Value value(int type, Random random) {
    return switch (type) {
      case 1 -> Value.of("text " + random.nextInt(5));
      case 2 -> Value.of(random.nextInt(5) / 2.0);
      case 3 -> Value.of(random.nextBoolean());
      default -> number(random);
    };
  }

  private static Value number(Random random) {
    return Value.of(random.nextInt(20) == 0 ? random.nextLong() : random.nextInt(9));
  }
}
