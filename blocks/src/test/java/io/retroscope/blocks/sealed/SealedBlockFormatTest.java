// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.Arrival;
import io.retroscope.blocks.RandomLog;
import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.Changes;
import io.retroscope.blocks.read.DecodedEvents;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Heartbeat;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SealedBlockFormatTest {
  private static final long T = 1_795_200_000_000_000L;

  @Test
  void open_severalVariables_readsEachAlone() throws CorruptBlockException {
    StoreNames names = new StoreNames();
    SealedBlock block = sealed(names, 300);
    int r1 = names.variables().find("r1");
    int rare = names.variables().find("rare");
    Changes own = DecodedEvents.changes(block, r1).orElseThrow();
    assertThat(own.size()).isEqualTo(299);
    assertThat(DecodedEvents.value(own, 7)).isEqualTo(Value.of(7));
    assertThat(own.row(7)).isEqualTo(7);
    Changes shared = DecodedEvents.changes(block, rare).orElseThrow();
    assertThat(shared.size()).isEqualTo(1);
    assertThat(DecodedEvents.value(shared, 0)).isEqualTo(Value.of("once"));
    assertThat(shared.operation(0)).isEqualTo(Operation.SET);
  }

  @Test
  void open_damagedSection_isRefusedAloneAndOnlyWhenRead() throws CorruptBlockException {
    StoreNames names = new StoreNames();
    byte[] bytes = sealed(names, 300).bytes().clone();
    int refused = 0;
    int r1 = names.variables().find("r1");
    int rare = names.variables().find("rare");
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (bytes[i] ^ 0x40);
      if (!isOpened(bytes, names)) {
        bytes[i] = (byte) (bytes[i] ^ 0x40);
        continue;
      }
      SealedBlock damaged = SealedBlockReader.open(bytes, names);
      assertThatThrownBy(damaged::rows).as("byte %d", i).isInstanceOf(CorruptBlockException.class);
      boolean first = isReadable(damaged, r1);
      boolean second = isReadable(damaged, rare);
      assertThat(first || second).as("byte %d", i).isTrue();
      refused += first && second ? 0 : 1;
      bytes[i] = (byte) (bytes[i] ^ 0x40);
    }
    assertThat(refused).isGreaterThan(20);
  }

  private static boolean isOpened(byte[] bytes, StoreNames names) {
    try {
      SealedBlockReader.open(bytes, names);
      return true;
    } catch (CorruptBlockException e) {
      return false;
    }
  }

  private static boolean isReadable(SealedBlock block, int variable) {
    try {
      DecodedEvents.changes(block, variable).orElseThrow();
      return true;
    } catch (CorruptBlockException e) {
      return false;
    }
  }

  @Test
  void open_truncatedOrOtherBytes_isRefused() {
    StoreNames names = new StoreNames();
    byte[] bytes = sealed(names, 20).bytes();
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> SealedBlockReader.open(cut, names).rows())
          .isInstanceOf(CorruptBlockException.class);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> SealedBlockReader.open(longer, names))
        .isInstanceOf(CorruptBlockException.class);
    byte[] newer = bytes.clone();
    newer[4] = 2;
    assertThatThrownBy(() -> SealedBlockReader.open(newer, names))
        .isInstanceOf(CorruptBlockException.class)
        .hasMessageContaining("sealed block of version 2; this program reads 1");
    assertThatThrownBy(() -> SealedBlockReader.open(bytes, new StoreNames()))
        .isInstanceOf(CorruptBlockException.class);
  }

  @Test
  void changes_mutatedBytes_areRefusedOrWithinTheirLimits() {
    mutateChanges(3_000);
  }

  @Test
  @Tag("slow")
  void changes_manyMutatedBytes_areRefusedOrWithinTheirLimits() {
    mutateChanges(100_000);
  }

  private static void mutateChanges(int seeds) {
    int read = 0;
    int refused = 0;
    for (long seed = 1; seed <= seeds; seed++) {
      Random random = new Random(seed);
      boolean shared = random.nextBoolean();
      byte[] bytes = section(random, shared);
      for (int i = random.nextInt(3); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      try {
        WireReader in = new WireReader(bytes, 0, bytes.length, 0);
        Changes changes = Changes.read(in, 50, shared ? Changes.FIELD_NAMES : 0);
        for (int i = 0; i < changes.size(); i++) {
          assertThat(changes.row(i)).isBetween(0, 49);
          assertThat(DecodedEvents.value(changes, i)).isNotNull();
          assertThat(changes.operation(i)).isNotNull();
        }
        read++;
      } catch (CorruptBlockException e) {
        refused++;
      }
    }
    assertThat(read).isGreaterThan(seeds / 40);
    assertThat(refused).isGreaterThan(seeds / 40);
  }

  private static byte[] section(Random random, boolean shared) {
    RowBuffer rows = new RowBuffer();
    StoreNames names = new StoreNames();
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 0);
    for (int row = 0; row < 50; row++) {
      List<Value> values =
          List.of(Value.of(row), Value.of("t" + row % 3), Value.setOf(Value.of(1)), Value.of(true));
      Change change = new Change(Operation.SET, "v", values.get(random.nextInt(4)));
      builder.add(new Event("n1", "log", row, new StateChange(List.of(change))));
    }
    EventBlock block = builder.build();
    Arrival arrival = new Arrival(block, "log", names);
    ChangesWriter section = new ChangesWriter(rows, 50, shared);
    for (int row = 0; row < 50; row++) {
      rows.add(arrival, row);
      section.add(row, row);
    }
    WireWriter out = new WireWriter();
    section.write(50, out);
    return out.toByteArray();
  }

  @Test
  void zone_mutatedBytes_isRefusedOrWithinTheTables() {
    StoreNames names = new StoreNames();
    for (int i = 0; i < 70; i++) {
      names.nodes().idOf("n" + i);
      names.variables().idOf("v" + i);
    }
    BitSet nodes = new BitSet();
    nodes.set(3);
    nodes.set(69);
    SealedSummary zone = new SealedSummary(5, 9, 40, 7, 33, nodes, List.of(3, 4, 69));
    WireWriter out = new WireWriter();
    zone.write(out);
    byte[] original = out.toByteArray();
    assertThat(readZone(original, names)).isEqualTo(zone);
    byte[] later = original.clone();
    later[later.length - 1] = 1;
    assertThat(readZone(later, names)).as("a reserved number").isNull();
    int read = 0;
    for (long seed = 1; seed <= 3_000; seed++) {
      Random random = new Random(seed);
      byte[] bytes = original.clone();
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      SealedSummary found = readZone(bytes, names);
      if (found != null) {
        assertThat(found.nodes().length()).as("seed %d", seed).isLessThanOrEqualTo(70);
        assertThat(found.variables()).allMatch(id -> id >= 0 && id < 70);
        read++;
      }
    }
    assertThat(read).isBetween(150, 2_850);
  }

  private static @Nullable SealedSummary readZone(byte[] bytes, StoreNames names) {
    try {
      return SealedSummary.read(new WireReader(bytes, 0, bytes.length, 0), names);
    } catch (CorruptBlockException e) {
      return null;
    }
  }

  @Test
  void encode_heartbeatsAmongEvents_areKept() throws CorruptBlockException {
    StoreNames names = new StoreNames();
    List<Event> events =
        List.of(
            new Event("n1", "log", 5, new Heartbeat()).of("a"),
            new Event("n1", "", 6, new Heartbeat()).of("a"));
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 0);
    events.forEach(builder::add);
    RowBuffer rows = new RowBuffer();
    Arrival arrival = new Arrival(builder.build(), "log", names);
    rows.add(arrival, 0);
    rows.add(arrival, 1);
    BitSet nodes = new BitSet();
    nodes.set(0);
    SealedSummary zone = new SealedSummary(5, 6, 2, 2, 16, nodes, List.of());
    byte[] bytes = SealedBlockWriter.encode("log", rows, zone, new VariableSections(rows));
    assertThat(DecodedEvents.of(SealedBlockReader.open(bytes, names))).isEqualTo(events);
  }

  @Test
  void add_eventOfAnotherLog_isRefused() {
    EventBlock block = EventBlock.of(List.of(new Event("n1", "other", 5, new Heartbeat())));
    Arrival arrival = new Arrival(block, "log", new StoreNames());
    assertThatThrownBy(() -> new RowBuffer().add(arrival, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("an event of the log \"other\" among another's");
  }

  @Test
  void encode_exampleOfTheDocumentation_isAsPrinted() throws Exception {
    StoreNames names = new StoreNames();
    List<EventBlock> arrivals = new ArrayList<>();
    for (int node = 1; node <= 2; node++) {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 1);
      Change change = new Change(Operation.SET, "r1", Value.of(35 + node));
      long micros = T + node;
      builder.add(
          new Event(
              "zk" + node,
              "setd",
              HlcTimestamp.pack(micros),
              micros - 7,
              node,
              Set.of(),
              new StateChange(List.of(change))));
      arrivals.add(builder.build());
    }
    SealedBlock block =
        new Sealing("setd", names, Comparator.comparing(Run::node), Sealing.ROWS)
            .seal(arrivals)
            .get(0);
    String page = Files.readString(Path.of("..", "docs", "format", "sealed-blocks.md"));
    StringBuilder printed = new StringBuilder();
    page.lines()
        .filter(line -> line.matches("    ([0-9a-f]{2} )+ .*"))
        .forEach(line -> printed.append(line.substring(0, line.indexOf("  ", 4))));
    String found = HexFormat.ofDelimiter(" ").formatHex(block.bytes());
    assertThat(printed.toString().strip().replaceAll("\\s+", " ")).isEqualTo(found);
  }

  /** A log of one node: each row but the last writes r1, and the last another variable. */
  private static SealedBlock sealed(StoreNames names, int rows) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 1);
    for (int row = 0; row < rows; row++) {
      Change change =
          row == rows - 1
              ? new Change(Operation.SET, "rare", Value.of("once"))
              : new Change(Operation.SET, "r1", new LongValue(row));
      builder.add(
          new Event(
              "n1", RandomLog.LOG, HlcTimestamp.pack(T + row), new StateChange(List.of(change))));
    }
    return new Sealing(RandomLog.LOG, names, RandomLog.TIES, Sealing.ROWS)
        .seal(List.of(builder.build()))
        .get(0);
  }
}
