// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.zone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.blocks.zone.LongZone.Early;
import io.retroscope.blocks.zone.LongZone.Late;
import io.retroscope.blocks.zone.LongZone.Node;
import io.retroscope.blocks.zone.LongZone.Variable;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the zones of blocks of LONGs against a plain loop over the cuts. */
class LongZoneTest {
  private static final long FIRST = HlcTimestamp.pack(1_000);

  @Test
  void of_randomRows_isWhatAPlainLoopFinds() throws CorruptBlockException {
    for (long seed = 1; seed <= 300; seed++) {
      boolean isOfOne = seed % 2 == 0;
      List<Event> events = events(new Random(seed));
      if (isOfOne) {
        events.removeIf(event -> ((StateChange) event.body()).changes().size() > 1);
        events.removeIf(event -> written(event, "b").isPresent());
      }
      if (events.isEmpty()) {
        continue;
      }
      LongZone zone = LongZone.of(EventBlock.of(events), 1).orElseThrow();
      LongZone stored = stored(zone);
      for (LongZone own : List.of(zone, stored)) {
        assertThat(own.log()).isEqualTo("t");
        assertThat(own.cuts()).as("seed %d", seed).isEqualTo(cuts(events, ""));
        for (Variable variable : own.variables()) {
          String name = variable.name();
          assertThat(variable).as("seed %d", seed).isEqualTo(plain(events, name));
        }
      }
    }
  }

  @Test
  void of_tooFewWritesPerNode_hasNoBounds() {
    List<Event> events =
        List.of(set(0, "n1", 1), set(1, "n2", 1), set(2, "n1", 1), set(3, "n2", 1));
    assertThat(LongZone.of(EventBlock.of(events), 2)).isPresent();
    assertThat(LongZone.of(EventBlock.of(events), 3)).isEmpty();
  }

  @Test
  void of_rowsThatDoMoreThanSetLongs_isEmpty() {
    Event plain = set(0, "n1", 1);
    assertThat(LongZone.of(EventBlock.of(List.of(plain, set(1, "n2", 1))), 1)).isPresent();
    for (Event other :
        List.of(
            new Event("n1", "t", FIRST + 1, new EventBody.Send("n1", "m")),
            new Event("n1", "", FIRST + 1, new EventBody.Stop()),
            new Event(
                "n2",
                "t",
                FIRST + 1,
                Event.NO_PHYSICAL,
                Event.NO_SEQUENCE,
                Set.of(EventMark.REPAIR),
                set(1, "n2", 1).body()),
            write(0, "n1", new Change(Operation.SET, "b", Value.of(2))),
            write(1, "n1", new Change(Operation.SET, "a", Value.of(0.5))),
            write(1, "n1", new Change(Operation.SET, "a", Value.of("text"))),
            write(1, "n1", new Change(Operation.UNSET, "a", Value.NullValue.NULL)),
            write(
                1,
                "n1",
                new Change(Operation.SET, "a", Value.of(1)),
                new Change(Operation.SET, "a", Value.of(2))))) {
      assertThat(LongZone.of(EventBlock.of(List.of(plain, other)), 1))
          .as(other.toString())
          .isEmpty();
    }
  }

  @Test
  void of_twoRunsOfANode_isEmpty() throws CorruptBlockException {
    EventBlock first = new EventBlockBuilder().incarnation("i", 1).add(set(0, "n1", 1)).build();
    EventBlock second = new EventBlockBuilder().incarnation("j", 1).add(set(1, "n1", 1)).build();
    Sealing sealing = new Sealing("t", new StoreNames(), Comparator.comparing(Run::node), 9);
    EventBlock one = sealing.seal(List.of(first)).get(0).rows();
    assertThat(LongZone.of(one, 1)).isPresent();
    EventBlock two = sealing.seal(List.of(first, second)).get(0).rows();
    assertThat(LongZone.of(two, 1)).isEmpty();
  }

  @Test
  void of_aDifferenceThatDoesNotFit_isEmpty() {
    List<Event> events = List.of(set(0, "n1", Long.MAX_VALUE), set(1, "n2", Long.MIN_VALUE));
    assertThat(LongZone.of(EventBlock.of(events), 1)).isEmpty();
  }

  @Test
  void read_nothingOrAnotherVersion_isEmpty() throws CorruptBlockException {
    assertThat(read(new byte[0])).isEmpty();
    assertThat(read(new byte[] {1, 1, 2, 3})).isEmpty();
    assertThat(read(new byte[] {3, 1, 2, 3})).isEmpty();
  }

  @Test
  void read_damagedBytes_areRefused() {
    byte[] bytes = bytes(LongZone.of(EventBlock.of(events(new Random(1))), 1).orElseThrow());
    for (int at = 1; at < bytes.length; at++) {
      byte[] damaged = bytes.clone();
      damaged[at] ^= 4;
      byte[] cut = Arrays.copyOf(bytes, at);
      assertThatThrownBy(() -> read(damaged)).isInstanceOf(CorruptBlockException.class);
      assertThatThrownBy(() -> read(cut)).isInstanceOf(CorruptBlockException.class);
    }
  }

  private static List<Event> events(Random random) {
    int nodes = 1 + random.nextInt(5);
    int spread = 1 + random.nextInt(9);
    List<Event> events = new ArrayList<>();
    long[] last = new long[nodes];
    Arrays.fill(last, -1);
    long at = 0;
    for (int i = 0; i < 1 + random.nextInt(80); i++) {
      at += random.nextInt(3);
      int node = random.nextInt(nodes);
      if (last[node] < at) {
        last[node] = at;
        Change a = new Change(Operation.SET, "a", Value.of(random.nextInt(spread)));
        Change b = new Change(Operation.SET, "b", Value.of(i / 3));
        events.add(
            switch (random.nextInt(4)) {
              case 0 -> write(at, "n" + node, b);
              case 1 -> write(at, "n" + node, b, a);
              default -> write(at, "n" + node, a);
            });
      }
    }
    return events;
  }

  private static Event set(long at, String node, long number) {
    return write(at, node, new Change(Operation.SET, "a", Value.of(number)));
  }

  private static Event write(long at, String node, Change... changes) {
    return new Event(node, "t", FIRST + at, new StateChange(List.of(changes)));
  }

  private static Optional<Long> written(Event event, String name) {
    return ((StateChange) event.body())
        .changes().stream()
            .filter(change -> change.variable().equals(name))
            .map(change -> ((Value.LongValue) change.value()).value())
            .findFirst();
  }

  private static int cuts(List<Event> events, String name) {
    return (int)
        events.stream()
            .filter(event -> name.isEmpty() || written(event, name).isPresent())
            .mapToLong(Event::hlc)
            .distinct()
            .count();
  }

  /** The bounds of a variable from the complete state at each cut. */
  private static Variable plain(List<Event> events, String name) {
    Map<String, Node> ends = new TreeMap<>();
    List<Event> own = events.stream().filter(event -> written(event, name).isPresent()).toList();
    long writers = own.stream().map(Event::node).distinct().count();
    Early early = new Early(Long.MAX_VALUE, Long.MIN_VALUE);
    List<Long> mins = new ArrayList<>();
    List<Long> maxes = new ArrayList<>();
    for (long stamp : own.stream().map(Event::hlc).distinct().toList()) {
      List<Event> cut = own.stream().filter(event -> event.hlc() == stamp).toList();
      for (Event event : cut) {
        long number = written(event, name).orElseThrow();
        Node before = ends.get(event.node());
        ends.put(
            event.node(),
            before == null
                ? new Node(event.node(), number, stamp, LongZone.NEVER)
                : new Node(
                    event.node(),
                    number,
                    before.firstHlc(),
                    before.number() == number ? before.changeHlc() : stamp));
      }
      if (ends.size() < writers) {
        for (Event event : cut) {
          long number = written(event, name).orElseThrow();
          early = new Early(Math.min(early.min(), number), Math.max(early.max(), number));
        }
      } else {
        mins.add(ends.values().stream().mapToLong(Node::number).min().orElseThrow());
        maxes.add(ends.values().stream().mapToLong(Node::number).max().orElseThrow());
      }
    }
    List<Long> spreads = new ArrayList<>();
    for (int i = 0; i < mins.size(); i++) {
      spreads.add(maxes.get(i) - mins.get(i));
    }
    Late late = new Late(min(mins), max(maxes), max(mins), min(maxes), min(spreads), max(spreads));
    List<Node> order = List.copyOf(ends.values());
    long lastHlc = own.get(own.size() - 1).hlc();
    return new Variable(name, cuts(events, name), lastHlc, early, late, order);
  }

  private static long min(List<Long> numbers) {
    return numbers.stream().mapToLong(number -> number).min().orElseThrow();
  }

  private static long max(List<Long> numbers) {
    return numbers.stream().mapToLong(number -> number).max().orElseThrow();
  }

  private static byte[] bytes(LongZone zone) {
    WireWriter out = new WireWriter();
    zone.write(out, FIRST, List.of("b", "a"), NameTable.of(List.of("n4", "n3", "n2", "n1", "n0")));
    return out.toByteArray();
  }

  private static LongZone stored(LongZone zone) throws CorruptBlockException {
    return read(bytes(zone)).orElseThrow();
  }

  private static Optional<LongZone> read(byte[] bytes) throws CorruptBlockException {
    NameTable nodes = NameTable.of(List.of("n4", "n3", "n2", "n1", "n0"));
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    return LongZone.read(in, bytes, FIRST, "t", List.of("b", "a"), nodes);
  }
}
