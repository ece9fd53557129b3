// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.RandomLog;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.LogLine;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventBody.Stop;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ArrivalWindowTest {
  @Test
  void next_randomBlocksOfFewNodes_isAsSortingAllEvents() {
    for (long seed = 1; seed <= 150; seed++) {
      Random random = new Random(seed);
      List<EventBlock> blocks =
          new RandomLog(seed, false)
              .blocks(random.nextInt(5), 1 + random.nextInt(60), 1 + random.nextInt(20));
      assertThat(merged(blocks)).as("seed %d", seed).isEqualTo(RandomLog.inOrder(blocks));
    }
  }

  @Test
  void next_randomBlocksOfManyNodes_isAsSortingAllEvents() {
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      List<EventBlock> blocks =
          new RandomLog(seed, false)
              .blocks(9 + random.nextInt(40), 1 + random.nextInt(60), 1 + random.nextInt(20));
      assertThat(merged(blocks)).as("seed %d", seed).isEqualTo(RandomLog.inOrder(blocks));
    }
  }

  @Test
  void next_severalWindows_areAsSortingAllEventsAndShareNoStamp() {
    for (int nodes : new int[] {3, 40}) {
      List<EventBlock> blocks = new RandomLog(nodes, true).blocks(nodes, 30_000 / nodes, 50);
      ArrivalWindow window = new ArrivalWindow(blocks, RandomLog.LOG, RandomLog.TIES);
      List<Event> found = new ArrayList<>();
      long last = Long.MIN_VALUE;
      int windows = 0;
      while (window.next()) {
        assertThat(window.hlc(0)).isGreaterThan(last);
        last = window.hlc(window.size() - 1);
        addAll(window, found);
        windows++;
      }
      assertThat(windows).isGreaterThan(2);
      assertThat(found).isEqualTo(RandomLog.inOrder(blocks));
    }
  }

  @Test
  void next_equalStampsOfManyNodes_areInOrderOfTheNodesNumbers() {
    List<EventBlock> blocks = new ArrayList<>();
    for (int node = 40; node > 0; node--) {
      blocks.add(stop("n" + node, "b"));
      blocks.add(stop("n" + node, "a"));
    }
    List<Event> found = merged(blocks);
    assertThat(found).hasSize(80);
    assertThat(found.subList(0, 4))
        .extracting(event -> event.node() + event.incarnation())
        .containsExactly("n1a", "n1b", "n2a", "n2b");
    assertThat(found.get(79).node()).isEqualTo("n40");
  }

  @Test
  void next_stampsAtBothEndsOfTheRange_areInOrder() {
    List<EventBlock> blocks = new ArrayList<>();
    for (int node = 0; node < 12; node++) {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 1);
      for (long hlc : new long[] {Long.MIN_VALUE, -5L - node, (long) node, Long.MAX_VALUE}) {
        builder.add(new Event("n" + node, "", hlc, new Stop()));
      }
      blocks.add(builder.build());
    }
    assertThat(merged(blocks)).isEqualTo(RandomLog.inOrder(blocks));
  }

  @Test
  void next_randomRanges_areTheEventsOfTheRangeFromTheBlocksThatWereDue() {
    for (long seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      List<EventBlock> blocks =
          new RandomLog(seed, false)
              .blocks(1 + random.nextInt(30), 1 + random.nextInt(40), 1 + random.nextInt(9));
      List<Event> all = RandomLog.inOrder(blocks);
      long from = all.get(random.nextInt(all.size())).hlc();
      long to = Math.max(from, all.get(random.nextInt(all.size())).hlc());
      List<Event> expected = all.stream().filter(e -> e.hlc() >= from && e.hlc() <= to).toList();
      List<Watched> sources = blocks.stream().map(Watched::new).toList();
      ArrivalWindow window =
          new ArrivalWindow(
              sources, RowTest.ofLogs(Set.of(RandomLog.LOG)), from, to, RandomLog.TIES);
      List<Event> found = new ArrayList<>();
      while (window.next()) {
        addAll(window, found);
      }
      assertThat(found).as("seed %d", seed).isEqualTo(expected);
      assertThat(sources).as("seed %d", seed).allMatch(source -> source.reads <= 1);
      assertThat(sources)
          .as("seed %d", seed)
          .noneMatch(source -> source.reads > 0 && source.firstHlc() > to);
    }
  }

  @Test
  void next_quietTimeBeforeABusyOne_hasNoLargeWindow() {
    List<EventBlock> blocks = new ArrayList<>();
    for (int node = 0; node < 12; node++) {
      EventBlockBuilder sparse = new EventBlockBuilder().incarnation("a", 1);
      EventBlockBuilder busy = new EventBlockBuilder().incarnation("a", 2);
      for (int i = 0; i < 50; i++) {
        sparse.add(stopAt("n" + node, HlcTimestamp.pack(i * 60_000_000L + node)));
      }
      for (int i = 0; i < 4_000; i++) {
        busy.add(stopAt("n" + node, HlcTimestamp.pack(50 * 60_000_000L + i)));
      }
      blocks.add(sparse.build());
      blocks.add(busy.build());
    }
    ArrivalWindow window = new ArrivalWindow(blocks, RandomLog.LOG, RandomLog.TIES);
    List<Event> found = new ArrayList<>();
    while (window.next()) {
      assertThat(window.size()).isLessThan(40_000);
      addAll(window, found);
    }
    assertThat(found).isEqualTo(RandomLog.inOrder(blocks));
  }

  @Test
  void next_laterBlocks_areReadWhenTheyAreDue() {
    List<Watched> sources = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 1 + i);
      for (int row = 0; row < 2_000; row++) {
        builder.add(stopAt("n1", HlcTimestamp.pack(i * 2_000L + row)));
      }
      sources.add(new Watched(builder.build()));
    }
    ArrivalWindow window =
        new ArrivalWindow(
            sources, RowTest.ofLogs(Set.of()), Long.MIN_VALUE, Long.MAX_VALUE, RandomLog.TIES);
    assertThat(window.next()).isTrue();
    long last = window.hlc(window.size() - 1);
    assertThat(sources.stream().filter(source -> source.reads > 0))
        .allMatch(source -> source.firstHlc() <= last)
        .hasSizeLessThan(10);
  }

  /** Long blocks overlap at their borders, and late blocks of ten rows lie within some of them. */
  @Test
  void next_longBlocksThatOverlapALittle_areWindowsByThemselvesExceptThere() {
    for (int others : new int[] {0, 20}) {
      List<EventBlock> blocks = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        blocks.add(writes("n" + i % 2, i * 2_000, 2_040));
      }
      for (int i = 0; i < 5; i++) {
        blocks.add(writes("n100", i * 4_000 + 700, 10));
      }
      for (int i = 0; i < others; i++) {
        blocks.add(writes("n" + (200 + i), 20_040, 10));
      }
      ArrivalWindow window = new ArrivalWindow(blocks, RandomLog.LOG, RandomLog.TIES);
      List<Event> found = new ArrayList<>();
      int merged = 0;
      while (window.next()) {
        merged += window.isOfOneBlock() ? 0 : window.size();
        addAll(window, found);
      }
      assertThat(found).isEqualTo(RandomLog.inOrder(blocks));
      assertThat(merged).as("%d others", others).isLessThan(1_000 + 10 * others);
    }
  }

  /** Ranges begin and end within blocks, and late blocks begin and end at the same stamps. */
  @Test
  void next_rangesOfLongBlocksWithLateOnes_areAsSortingAllEvents() {
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      List<EventBlock> blocks = new ArrayList<>();
      int lanes = 1 + random.nextInt(12);
      for (int i = 0; i < 12; i++) {
        blocks.add(writes("n" + i % lanes, i * 300 + random.nextInt(5), 200 + random.nextInt(120)));
        blocks.add(writes("n100", random.nextInt(4_000), 1 + random.nextInt(80)));
      }
      long from = HlcTimestamp.pack(random.nextInt(2_000));
      long to = from + HlcTimestamp.pack(random.nextInt(3_000));
      ArrivalWindow window =
          new ArrivalWindow(
              blocks.stream().map(BlockSource::of).toList(),
              RowTest.ofLogs(Set.of(RandomLog.LOG)),
              from,
              to,
              RandomLog.TIES);
      List<Event> found = new ArrayList<>();
      long last = Long.MIN_VALUE;
      while (window.next()) {
        assertThat(window.hlc(0)).as("seed %d", seed).isGreaterThan(last);
        last = window.hlc(window.size() - 1);
        addAll(window, found);
      }
      assertThat(found)
          .as("seed %d", seed)
          .isEqualTo(
              RandomLog.inOrder(blocks).stream()
                  .filter(event -> event.hlc() >= from && event.hlc() <= to)
                  .toList());
    }
  }

  /** Long blocks of a few or of many nodes overlap; some have another variable or type. */
  @Test
  void join_windowsOfSeveralBlocks_haveTheSameRows() {
    int joined = 0;
    int others = 0;
    for (long seed = 1; seed <= 9; seed++) {
      Random random = new Random(seed);
      List<EventBlock> blocks = new ArrayList<>();
      int nodes = 2 + random.nextInt(12);
      for (int i = 0; i < 24; i++) {
        blocks.add(numbers("n" + i % nodes, i / nodes * 4_000, (int) seed % 3, random));
      }
      ArrivalWindow window = new ArrivalWindow(blocks, RandomLog.LOG, RandomLog.TIES);
      List<Event> found = new ArrayList<>();
      while (window.next()) {
        boolean wasOfOne = window.isOfOneBlock();
        int size = window.size();
        window.join();
        assertThat(window.size()).isEqualTo(size);
        if (!wasOfOne && window.isOfOneBlock()) {
          assertThat(window.block(0).size()).isEqualTo(size);
          joined++;
        }
        others += window.isOfOneBlock() ? 0 : 1;
        addAll(window, found);
      }
      assertThat(found).as("seed %d", seed).isEqualTo(RandomLog.inOrder(blocks));
    }
    assertThat(joined).isGreaterThan(15);
    assertThat(others).isGreaterThan(15);
  }

  @Test
  void join_windowWithoutSomeRowsOfItsBlock_hasTheSameRows() {
    EventBlock block = numbers("n1", 0, 0, new Random(1));
    IntPredicate wanted = row -> row % 100 < 90;
    ArrivalWindow window =
        new ArrivalWindow(
            List.of(BlockSource.of(block)),
            any -> wanted,
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            RandomLog.TIES);
    assertThat(window.next()).isTrue();
    window.join();
    assertThat(window.isOfOneBlock()).isTrue();
    List<Event> found = new ArrayList<>();
    addAll(window, found);
    assertThat(found)
        .isEqualTo(
            IntStream.range(0, block.size())
                .filter(wanted)
                .mapToObj(row -> block.event(row).of(block.incarnation()))
                .toList());
  }

  @Test
  void next_fewLongBlocks_hasNoLargeWindow() {
    List<EventBlock> blocks = new ArrayList<>();
    for (int node = 0; node < 3; node++) {
      blocks.add(writes("n" + node, 0, 30_000));
    }
    ArrivalWindow window = new ArrivalWindow(blocks, RandomLog.LOG, RandomLog.TIES);
    while (window.next()) {
      assertThat(window.size()).isLessThan(20_000);
    }
    assertThat(window.rowCount()).isEqualTo(90_000);
  }

  /** A window has all rows of a stamp, of which there may be more than a block can have. */
  @Test
  void join_moreRowsOfOneStampThanABlockHas_leavesTheWindow() {
    List<EventBlock> blocks = new ArrayList<>();
    StateChange body = new StateChange(List.of(new Change(Operation.SET, "x", Value.of(1))));
    for (int node = 0; node < 3; node++) {
      EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 1);
      for (int i = 0; i < 30_000; i++) {
        builder.add(new Event("n" + node, RandomLog.LOG, HlcTimestamp.pack(7), body));
      }
      blocks.add(builder.build());
    }
    ArrivalWindow window = new ArrivalWindow(blocks, RandomLog.LOG, RandomLog.TIES);
    assertThat(window.next()).isTrue();
    window.join();
    assertThat(window.size()).isEqualTo(90_000);
    assertThat(window.block(window.size() - 1).nodes()).containsExactly("n2");
  }

  private static EventBlock numbers(String node, int micros, int kind, Random random) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("of " + node, 1);
    int at = micros + random.nextInt(300);
    int count = 1_000 + random.nextInt(500);
    for (int i = 1; i <= count; i++) {
      boolean isOther = kind > 0 && random.nextInt(900) == 0;
      Value value = isOther && kind == 2 ? Value.of(0.5) : Value.of(random.nextLong());
      Change change = new Change(Operation.SET, isOther && kind == 1 ? "y" : "x", value);
      long hlc = HlcTimestamp.pack(at += 1 + random.nextInt(3));
      StateChange body = new StateChange(List.of(change));
      builder.add(new Event(node, RandomLog.LOG, hlc, at - random.nextInt(9), i, Set.of(), body));
    }
    return builder.build();
  }

  @Test
  void next_blocksOfPastWindows_areReleasedOnceAndNoOthers() {
    for (long seed = 1; seed <= 15; seed++) {
      Random random = new Random(seed);
      int nodes = 1 + random.nextInt(30);
      List<EventBlock> blocks = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        // Quiet and busy times, so that windows begin again with a shorter span.
        int begin = random.nextInt(2) * 100_000 + random.nextInt(9_000);
        blocks.add(writes("n" + random.nextInt(nodes), begin, 1 + random.nextInt(3_000)));
      }
      List<Copied> sources = blocks.stream().map(Copied::new).toList();
      long from = HlcTimestamp.pack(random.nextInt(5_000));
      ArrivalWindow window =
          new ArrivalWindow(
              sources,
              RowTest.ofLogs(Set.of(RandomLog.LOG)),
              from,
              HlcTimestamp.pack(110_000),
              RandomLog.TIES);
      Set<EventBlock> released = Collections.newSetFromMap(new IdentityHashMap<>());
      while (window.next()) {
        sources.forEach(source -> source.takeReleased(released));
        for (int i = 0; i < window.size(); i++) {
          assertThat(released.contains(window.block(i))).as("seed %d", seed).isFalse();
        }
      }
      sources.forEach(source -> source.takeReleased(released));
      assertThat(released)
          .as("seed %d", seed)
          .hasSize(sources.stream().mapToInt(s -> s.reads).sum());
    }
  }

  /** A block that is another object whenever it is read. */
  private static final class Copied extends Watched {
    private final List<EventBlock> read = new ArrayList<>();
    private final List<EventBlock> released = new ArrayList<>();

    Copied(EventBlock block) {
      super(block);
    }

    void takeReleased(Set<EventBlock> to) {
      released.forEach(each -> assertThat(to.add(each)).isTrue());
      released.clear();
    }

    @Override
    public EventBlock read() {
      EventBlockBuilder copy = new EventBlockBuilder().incarnation("a", 1);
      super.read().events().forEach(copy::add);
      read.add(copy.build());
      return read.get(read.size() - 1);
    }

    @Override
    public void release(EventBlock of) {
      assertThat(read).anyMatch(own -> own == of);
      released.add(of);
    }
  }

  private static EventBlock writes(String node, int firstMicros, int count) {
    EventBlockBuilder builder = new EventBlockBuilder().incarnation("a", 1);
    for (int i = 0; i < count; i++) {
      long hlc = HlcTimestamp.pack(firstMicros + i);
      builder.add(new Event(node, RandomLog.LOG, hlc, new LogLine("x", Map.of())));
    }
    return builder.build();
  }

  /** A block that counts how often it is read. */
  private static class Watched implements BlockSource {
    private final EventBlock block;
    int reads;

    Watched(EventBlock block) {
      this.block = block;
    }

    @Override
    public long firstHlc() {
      return block.firstHlc();
    }

    @Override
    public long lastHlc() {
      return block.lastHlc();
    }

    @Override
    public EventBlock read() {
      reads++;
      return block;
    }
  }

  private static Event stopAt(String node, long hlc) {
    return new Event(node, "", hlc, new Stop());
  }

  @Test
  void next_noBlocks_isFalse() {
    assertThat(new ArrivalWindow(List.of(), "setd", RandomLog.TIES).next()).isFalse();
    EventBlock heartbeat = EventBlock.heartbeat("n1", "a", 0, HlcTimestamp.pack(5), 0);
    assertThat(new ArrivalWindow(List.of(heartbeat), "setd", RandomLog.TIES).next()).isFalse();
  }

  private static EventBlock stop(String node, String incarnation) {
    return new EventBlockBuilder()
        .incarnation(incarnation, 1)
        .add(new Event(node, "", HlcTimestamp.pack(7), new Stop()))
        .build();
  }

  private static List<Event> merged(List<EventBlock> blocks) {
    ArrivalWindow window = new ArrivalWindow(blocks, RandomLog.LOG, RandomLog.TIES);
    List<Event> found = new ArrayList<>();
    while (window.next()) {
      addAll(window, found);
    }
    assertThat(window.next()).isFalse();
    return found;
  }

  private static void addAll(ArrivalWindow window, List<Event> to) {
    for (int i = 0; i < window.size(); i++) {
      EventBlock block = window.block(i);
      Event named = block.event(window.row(i));
      Event event = named.incarnation().isEmpty() ? named.of(block.incarnation()) : named;
      assertThat(window.hlc(i)).isEqualTo(event.hlc());
      to.add(event);
    }
  }
}
