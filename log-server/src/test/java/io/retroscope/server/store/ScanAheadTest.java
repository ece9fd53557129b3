// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.sealAll;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks;
import io.retroscope.server.store.disk.StoreSchema;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of scans that read blocks before they are due. */
@Timeout(60)
class ScanAheadTest {
  private static final int BLOCKS = 400;
  private static final String QUERY = "SELECT x, y FROM l";

  private static final StoreOptions WITHOUT_CACHE =
      new StoreOptions(0, MemoryBudget.ofProcess(), 0).sealingBy(StoreFixture.limits(50));

  @TempDir Path directory;

  /** Some blocks do not matter to a query, and some arrive late. */
  private static List<Event> event(int number) {
    long late = number % 50 == 0 ? 305 : 0;
    String variable = number / 100 % 2 == 0 ? "x" : number % 7 == 0 ? "y" : "unused";
    return List.of(set("n" + number % 3, "l", hlc(1_000 + 10L * number - late), variable, number));
  }

  private static List<Event> fill(EventStore store) {
    List<Event> all = new ArrayList<>();
    for (int number = 1; number <= BLOCKS; number++) {
      store.append(lines(event(number))).join();
      all.addAll(event(number));
    }
    return all;
  }

  private EventStore open() {
    return EventStore.open(directory, WITHOUT_CACHE, () -> NOW_MICROS);
  }

  @Test
  void rows_ofManySmallBlocks_areThoseOfMemory() {
    try (EventStore store = open()) {
      EventSource memory = new InMemoryEventSource(fill(store), ClockOffsets.UNKNOWN);
      List<String> expected = Answers.rows(memory, QUERY);
      assertThat(Answers.rows(() -> store.open(ClockOffsets.UNKNOWN), QUERY)).isEqualTo(expected);
      assertThat(expected).hasSizeGreaterThan(BLOCKS / 2);

      // Half of the blocks are not where they were when the view was opened.
      try (View before = store.open(ClockOffsets.UNKNOWN)) {
        sealAll(store);
        assertThat(store.figures().sealedBlockCount()).isPositive();
        assertThat(Answers.rows(before.slicing().orElseThrow()::another, QUERY))
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void rows_ofAnUnreadableBlockAmongOthers_areThoseOfTheOthersWithAWarning() throws Exception {
    List<Event> all;
    try (EventStore store = open()) {
      all = fill(store);
    }
    int damaged = 33;
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT);
        Changes changes = new Changes(database)) {
      changes.put(StoreSchema.BLOCKS, (long) damaged, new byte[] {1, 2, 3});
      changes.write();
    }
    all.removeAll(event(damaged));
    try (EventStore store = open()) {
      EventSource memory = new InMemoryEventSource(all, ClockOffsets.UNKNOWN);
      assertThat(Answers.rows(() -> store.open(ClockOffsets.UNKNOWN), QUERY))
          .isEqualTo(Answers.rows(memory, QUERY));
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.warnings(HlcRange.ALL).toString()).contains("damaged");
      }
    }
  }

  /** The entry of the next block must not be taken for that of a missing one. */
  @Test
  void rows_ofAMissingBlockAmongOthers_areThoseOfTheOthersWithAWarning() throws Exception {
    List<Event> all;
    try (EventStore store = open()) {
      all = fill(store);
    }
    long missing = 33;
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT);
        Changes changes = new Changes(database)) {
      changes.delete(StoreSchema.BLOCKS, missing);
      changes.write();
    }
    all.removeAll(event((int) missing));
    try (EventStore store = open()) {
      EventSource memory = new InMemoryEventSource(all, ClockOffsets.UNKNOWN);
      assertThat(Answers.rows(() -> store.open(ClockOffsets.UNKNOWN), QUERY))
          .isEqualTo(Answers.rows(memory, QUERY));
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.warnings(HlcRange.ALL).toString()).contains("left out");
      }
    }
  }

  /** A block of a variable that a query does not use is read if it has a mark. */
  @Test
  void warnings_ofAMarkedEventOfAnotherVariable_areThoseOfMemory() {
    List<Event> all;
    Event write = set("n1", "l", hlc(1_505), "unused", 1);
    Event marked =
        new Event(
            write.node(),
            write.log(),
            write.hlc(),
            Event.NO_PHYSICAL,
            Event.NO_SEQUENCE,
            Set.of(EventMark.REPAIR),
            write.body());
    try (EventStore store = open()) {
      all = fill(store);
      store.append(lines(marked)).join();
      all.add(marked);
      EventSource memory = new InMemoryEventSource(all, ClockOffsets.UNKNOWN);
      List<String> warnings = Answers.warnings(memory, QUERY);
      assertThat(warnings).anyMatch(warning -> warning.contains("was dropped"));
      assertThat(Answers.warnings(() -> store.open(ClockOffsets.UNKNOWN), QUERY))
          .containsAll(warnings);
    }
  }

  @Test
  void getFrom_ofATable_returnsTheNextValuesUpToItsLimits() throws Exception {
    try (EventStore store = open()) {
      fill(store);
    }
    try (Database database = Database.open(directory, OpenRocks.Mode.STRICT)) {
      Map<Long, byte[]> five = database.getFrom(StoreSchema.BLOCKS, 7L, 5, 1 << 20);
      assertThat(five).containsOnlyKeys(7L, 8L, 9L, 10L, 11L);
      assertThat(five.get(9L)).isEqualTo(database.get(StoreSchema.BLOCKS, 9L).orElseThrow());
      assertThat(database.getFrom(StoreSchema.BLOCKS, 7L, 5, 1)).containsOnlyKeys(7L);
      assertThat(database.getFrom(StoreSchema.BLOCKS, (long) BLOCKS, 5, 1 << 20)).hasSize(1);
      assertThat(database.getFrom(StoreSchema.BLOCKS, BLOCKS + 1L, 5, 1 << 20)).isEmpty();
    }
  }
}
