// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.RandomLog;
import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.DecodedEvents;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventBody.Stop;
import io.retroscope.event.EventKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SealingTest {
  private static final int HISTORIES = 30;

  @Test
  void seal_randomArrivals_holdsTheirEventsInOrder() throws CorruptBlockException {
    for (long seed = 1; seed <= HISTORIES; seed++) {
      List<EventBlock> arrivals = arrivals(seed);
      List<SealedBlock> sealed = sealing(seed, new StoreNames()).seal(arrivals);
      assertThat(events(sealed)).as("seed %d", seed).isEqualTo(RandomLog.inOrder(arrivals));
    }
  }

  @Test
  void rows_ofEachBlock_areItsEventsOrThoseWithWantedVariables() throws CorruptBlockException {
    int without = 0;
    for (long seed = 1; seed <= 2 * HISTORIES; seed++) {
      Random random = new Random(seed);
      Set<String> wanted = Set.of("v" + random.nextInt(5), "r0", "rare" + random.nextInt(40));
      for (SealedBlock block : sealing(seed, new StoreNames()).seal(arrivals(seed))) {
        List<Event> events = new ArrayList<>(DecodedEvents.of(block));
        events.removeIf(
            event -> event.body().kind() == EventKind.START || event.body() instanceof Stop);
        assertThat(block.rows().events()).as("seed %d", seed).isEqualTo(events);
        List<Event> expected = new ArrayList<>();
        for (Event event :
            DecodedEvents.of(block).stream().anyMatch(e -> !e.marks().isEmpty())
                ? List.<Event>of()
                : events) {
          keepOnly(wanted, event).ifPresent(expected::add);
        }
        if (!expected.isEmpty()) {
          without += expected.equals(events) ? 0 : 1;
          assertThat(block.rows(wanted::contains).events()).as("seed %d", seed).isEqualTo(expected);
        }
      }
    }
    assertThat(without).isGreaterThan(100);
  }

  private static Optional<Event> keepOnly(Set<String> wanted, Event event) {
    if (!(event.body() instanceof StateChange state)) {
      return Optional.of(event);
    }
    List<Change> changes = new ArrayList<>(state.changes());
    changes.removeIf(change -> !wanted.contains(change.variable()));
    return changes.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Event(
                event.node(),
                event.incarnation(),
                event.log(),
                event.hlc(),
                event.physicalMicros(),
                event.sequence(),
                event.marks(),
                new StateChange(changes)));
  }

  @Test
  void seal_randomArrivals_splitsNoStampAndFillsBlocks() throws CorruptBlockException {
    for (long seed = 1; seed <= HISTORIES; seed++) {
      List<SealedBlock> blocks = sealing(seed, new StoreNames()).seal(arrivals(seed));
      for (int i = 0; i < blocks.size(); i++) {
        SealedSummary zone = blocks.get(i).zone();
        assertThat(zone.rowCount() <= rows(seed) || zone.cutCount() == 1).isTrue();
        if (i > 0) {
          SealedSummary before = blocks.get(i - 1).zone();
          assertThat(before.lastHlc()).as("seed %d", seed).isLessThan(zone.firstHlc());
          long next = zone.firstHlc();
          long nextCount =
              DecodedEvents.of(blocks.get(i)).stream().filter(event -> event.hlc() == next).count();
          assertThat(before.rowCount() + nextCount).as("seed %d", seed).isGreaterThan(rows(seed));
        }
      }
    }
  }

  @Test
  void seal_upToAStampWithBorders_endsBlocksThere() throws CorruptBlockException {
    for (long seed = 1; seed <= HISTORIES; seed++) {
      Sealing sealing = sealing(seed, new StoreNames());
      List<Event> all = events(sealing.seal(arrivals(seed)));
      Random random = new Random(seed);
      long to =
          all.isEmpty() || random.nextInt(3) == 0
              ? Long.MAX_VALUE
              : all.get(random.nextInt(all.size())).hlc() - random.nextInt(2);
      List<Event> expected = all.stream().filter(event -> event.hlc() <= to).toList();
      long[] borders =
          random
              .ints(expected.isEmpty() ? 0 : random.nextInt(4), 0, 1 + expected.size())
              .mapToLong(
                  row -> expected.get(Math.min(row, expected.size() - 1)).hlc() + random.nextInt(2))
              .sorted()
              .toArray();
      List<SealedBlock> blocks = sealing.seal(arrivals(seed), borders, to);
      assertThat(events(blocks)).as("seed %d", seed).isEqualTo(expected);
      for (SealedBlock block : blocks) {
        for (long border : borders) {
          assertThat(block.zone().firstHlc() < border && border <= block.zone().lastHlc())
              .as("seed %d", seed)
              .isFalse();
        }
      }
    }
  }

  @Test
  void zone_ofEachBlock_isWhatItsEventsHave() throws CorruptBlockException {
    for (long seed = 1; seed <= HISTORIES; seed++) {
      StoreNames names = new StoreNames();
      for (SealedBlock block : sealing(seed, names).seal(arrivals(seed))) {
        SealedSummary zone = block.zone();
        List<Event> events = DecodedEvents.of(block);
        TreeSet<String> nodes = new TreeSet<>();
        zone.nodes().stream().mapToObj(names.nodes()::name).forEach(nodes::add);
        TreeSet<String> variables = new TreeSet<>();
        zone.variables().forEach(id -> variables.add(names.variables().name(id)));
        assertThat(nodes).isEqualTo(new TreeSet<>(events.stream().map(Event::node).toList()));
        assertThat(variables).isEqualTo(written(events));
        assertThat(zone.cutCount()).isEqualTo(events.stream().map(Event::hlc).distinct().count());
        assertThat(zone.firstHlc()).isEqualTo(events.get(0).hlc());
        assertThat(zone.lastHlc()).isEqualTo(events.get(events.size() - 1).hlc());
        for (EventKind kind : EventKind.values()) {
          assertThat(zone.holds(kind))
              .isEqualTo(events.stream().anyMatch(event -> event.body().kind() == kind));
        }
      }
    }
  }

  @Test
  void runs_ofEachBlock_areInTheOrderOfTheirNodesIdsAndIncarnations() throws CorruptBlockException {
    int several = 0;
    for (long seed = 1; seed <= HISTORIES; seed++) {
      StoreNames names = new StoreNames();
      for (SealedBlock block : sealing(seed, names).seal(arrivals(seed))) {
        assertThat(block.runs())
            .as("seed %d", seed)
            .isSortedAccordingTo(
                Comparator.<Run>comparingInt(run -> names.nodes().find(run.node()))
                    .thenComparing(Run::incarnation));
        several += block.runs().size() > 2 ? 1 : 0;
      }
    }
    assertThat(several).isGreaterThan(20);
  }

  @Test
  void seal_arrivalsInAnotherOrder_hasTheSameBytes() {
    for (long seed = 1; seed <= HISTORIES; seed++) {
      List<EventBlock> shuffled = new ArrayList<>(arrivals(seed));
      Collections.shuffle(shuffled, new Random(seed));
      StoreNames names = new StoreNames();
      Sealing sealing = sealing(seed, names);
      // All names have their ids after this.
      List<SealedBlock> sealed = sealing.seal(arrivals(seed));
      assertThat(bytes(sealing.seal(shuffled))).as("seed %d", seed).isEqualTo(bytes(sealed));
    }
  }

  @Test
  void seal_rowsOutOfRange_isRefused() {
    assertThatThrownBy(() -> new Sealing("a", new StoreNames(), RandomLog.TIES, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rows of a sealed block must be 1 to 65536: 0");
  }

  private static List<List<Byte>> bytes(List<SealedBlock> blocks) {
    List<List<Byte>> all = new ArrayList<>();
    for (SealedBlock block : blocks) {
      List<Byte> bytes = new ArrayList<>();
      for (byte b : block.bytes()) {
        bytes.add(b);
      }
      all.add(bytes);
    }
    return all;
  }

  private static Set<String> written(List<Event> events) {
    Set<String> names = new TreeSet<>();
    for (Event event : events) {
      if (event.body() instanceof StateChange state) {
        state.changes().forEach(change -> names.add(change.variable()));
      }
    }
    return names;
  }

  private static List<Event> events(List<SealedBlock> blocks) throws CorruptBlockException {
    List<Event> events = new ArrayList<>();
    for (SealedBlock block : blocks) {
      events.addAll(DecodedEvents.of(block));
    }
    return events;
  }

  private static List<EventBlock> arrivals(long seed) {
    Random random = new Random(seed);
    return new RandomLog(seed, seed % 3 == 0)
        .blocks(random.nextInt(14), 1 + random.nextInt(80), 1 + random.nextInt(20));
  }

  /** Rows of a block, in some histories one and in some more than there are. */
  private static int rows(long seed) {
    return seed % 4 == 0 ? 1 + (int) (seed % 5) : 1 + new Random(seed).nextInt(300);
  }

  private static Sealing sealing(long seed, StoreNames names) {
    return new Sealing(RandomLog.LOG, names, RandomLog.TIES, rows(seed));
  }
}
