// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.blocks.StoreNames;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests of the stored form of bins. */
class TimelineCodecTest {
  private static final long BASE = 1_795_200_000_000_000L;
  private static final int MANY = Integer.MAX_VALUE;

  private final StoreNames names = new StoreNames();

  private static EventBlock block(int rows, int nodes, int variables, long stepMicros) {
    return block(rows, nodes, variables, stepMicros, Long.SIZE);
  }

  private static EventBlock block(
      int rows, int nodes, int variables, long stepMicros, int valueBits) {
    Random random = new Random(rows);
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      List<Change> changes = new ArrayList<>();
      for (int v = 0; v <= i % variables; v++) {
        changes.add(
            new Change(
                Operation.SET, "v" + v, Value.of(random.nextLong() >> (Long.SIZE - valueBits))));
      }
      long hlc = HlcTimestamp.pack(BASE + i * stepMicros, i % 3);
      events.add(
          switch (i % 7) {
            case 0 -> new Event("n" + i % nodes, "l", hlc, new EventBody.Send("n0", "m" + i));
            case 1 ->
                new Event(
                    "n0", "l", hlc, new EventBody.Receive("n" + (i - 1) % nodes, "m" + (i - 1)));
            default -> new Event("n" + i % nodes, "l", hlc, new EventBody.StateChange(changes));
          });
    }
    return EventBlock.of(events);
  }

  @Test
  void decode_encoded_hasTheCountsOfTheRows() throws Exception {
    EventBlock rows = block(5_000, 3, 3, 1_000, 10);
    TimelineBins read = TimelineCodec.decode(TimelineCodec.encode(rows, "l", names), names);

    assertThat(read.size()).isGreaterThan(32);
    TimelineBins together = counted(rows, read.level(), 0);
    assertThat(text(added(read, read.level(), 0))).isEqualTo(text(together));

    assertThat(read.nodeLevel()).isBetween(read.level() + 1, read.level() + 4);
    TimelineBins apart = counted(rows, read.nodeLevel(), Integer.MAX_VALUE);
    assertThat(apart.variables().get("v0").nodes()).hasSize(3);
    assertThat(text(added(read, read.nodeLevel(), Integer.MAX_VALUE))).isEqualTo(text(apart));
  }

  @Test
  void decode_randomBlocks_hasTheCountsOfTheRows() throws Exception {
    int apart = 0;
    for (int seed = 1; seed <= 150; seed++) {
      Random random = new Random(seed);
      int size = 1 + random.nextInt(random.nextBoolean() ? 60 : 1_500);
      int nodes = 1 + random.nextInt(random.nextBoolean() ? 4 : 400);
      int variables = 1 + random.nextInt(5);
      long step = 1L << random.nextInt(14);
      EventBlock rows = block(size, nodes, variables, step, 1 + random.nextInt(Long.SIZE));
      TimelineBins read = TimelineCodec.decode(TimelineCodec.encode(rows, "l", names), names);

      int level = Math.max(read.nodeLevel(), 15);
      TimelineVariable known = added(read, level, MANY).variables().get("v0");
      boolean isApart = known != null && !known.hasOthers();
      apart += isApart ? 1 : 0;
      assertThat(text(added(read, level, isApart ? MANY : 0)))
          .as("seed " + seed)
          .isEqualTo(text(counted(rows, level, isApart ? MANY : 0)));
    }
    assertThat(apart).isBetween(38, 146);
  }

  /** Complete, with others than the extremes of nodes, and variables that are not counted. */
  @Test
  void part_decoded_isTheSame() throws Exception {
    int others = 0;
    int uncounted = 0;
    for (int seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      EventBlock rows =
          block(1 + random.nextInt(400), 1 + random.nextInt(9), 1 + random.nextInt(4), 1_000, 40);
      int level = 8 + random.nextInt(8);
      TimelineBins.Limits limits =
          new TimelineBins.Limits(1 + random.nextInt(4), random.nextInt(20), Set.of());
      TimelineBins bins = new TimelineBins(level, BASE >> level, 1_024, limits);
      bins.add(List.of(rows), "l");
      TimelineBins read = TimelinePart.decode(TimelinePart.encode(bins));
      assertThat(text(read)).as("seed " + seed).isEqualTo(text(bins));
      assertThat(read.uncounted()).as("seed " + seed).isEqualTo(bins.uncounted());
      assertThat(read.level()).isEqualTo(level);
      others += bins.variables().values().stream().anyMatch(TimelineVariable::hasOthers) ? 1 : 0;
      uncounted += bins.uncounted().isEmpty() ? 0 : 1;
    }
    assertThat(others).isGreaterThan(20);
    assertThat(uncounted).isGreaterThan(20);
  }

  /** Bins over all of the time of {@link #block}. */
  private static TimelineBins empty(int level, int series) {
    return new TimelineBins(
        level, BASE >> level, 1_024, new TimelineBins.Limits(Integer.MAX_VALUE, series, Set.of()));
  }

  private static TimelineBins counted(EventBlock rows, int level, int series) {
    TimelineBins bins = empty(level, series);
    bins.add(List.of(rows), "l");
    return bins;
  }

  private static TimelineBins added(TimelineBins finer, int level, int series) {
    TimelineBins bins = empty(level, series);
    bins.add(finer);
    return bins;
  }

  private static String text(TimelineBins bins) {
    StringBuilder text = new StringBuilder();
    bins.lanes()
        .forEach(
            (node, lane) ->
                text.append(node)
                    .append(text(lane.events, 0))
                    .append(text(lane.sends, 0))
                    .append(text(lane.receives, 0))
                    .append(text(lane.lines, 0)));
    bins.variables()
        .forEach(
            (name, variable) -> {
              variable.nodes().forEach((node, values) -> text.append(node).append(text(values)));
              text.append(variable.hasOthers());
              text.append(name).append(text(variable.all()));
            });
    return text + text(bins.slowest, TimelineBins.NO_MESSAGE) + text(bins.unmatched, 0);
  }

  private static String text(TimelineVariable.Extremes values) {
    return text(values.writes, 0)
        + text(values.min, 0)
        + text(values.max, 0)
        + text(values.last, 0)
        + text(values.lastHlc, 0);
  }

  /** The bins that have another number than the one of an empty bin, which most are. */
  private static String text(long[] bins, long ofEmpty) {
    StringBuilder text = new StringBuilder().append('[').append(bins.length);
    for (int i = 0; i < bins.length; i++) {
      if (bins[i] != ofEmpty) {
        text.append(' ').append(i).append('=').append(bins[i]);
      }
    }
    return text.append(']').toString();
  }

  /** Rows that set LONGs are added in bulk, unless one has a mark, which bins do not show. */
  @Test
  void add_rowsThatSetLongs_isTheSameAsWithAMark() {
    for (int seed = 1; seed <= 500; seed++) {
      Random random = new Random(seed);
      List<Event> events = longs(random);
      List<Event> marked = new ArrayList<>(events);
      marked.set(0, marked(events.get(0)));
      int level = random.nextInt(14);
      int bins = 1 + random.nextInt(random.nextBoolean() ? 30 : 1_024);
      TimelineBins.Limits limits =
          new TimelineBins.Limits(
              1 + random.nextInt(3),
              1 + random.nextInt(9),
              random.nextBoolean() ? Set.of() : Set.of("v0", "v2"));
      List<TimelineBins> both = new ArrayList<>();
      for (List<Event> rows : List.of(events, marked)) {
        TimelineBins counted = new TimelineBins(level, BASE >> level, bins, limits);
        EventBlock block = EventBlock.of(rows);
        assertThat(block.writesLongsOnly()).isEqualTo(rows.equals(events));
        counted.add(List.of(block), "l");
        counted.add(List.of(block), "other");
        both.add(counted);
      }
      assertThat(text(both.get(0))).as("seed " + seed).isEqualTo(text(both.get(1)));
      assertThat(both.get(0).uncounted()).as("seed " + seed).isEqualTo(both.get(1).uncounted());
      assertThat(both.get(0).series()).as("seed " + seed).isEqualTo(both.get(1).series());
    }
  }

  /** As {@link #add_rowsThatSetLongs_isTheSameAsWithAMark}, for the bytes. */
  @Test
  void encode_rowsThatSetLongs_hasTheBytesOfRowsWithAMark() {
    for (int seed = 1; seed <= 200; seed++) {
      List<Event> events = longs(new Random(seed));
      byte[] bytes = TimelineCodec.encode(EventBlock.of(events), "l", names);
      events.set(0, marked(events.get(0)));
      assertThat(bytes)
          .as("seed " + seed)
          .isEqualTo(TimelineCodec.encode(EventBlock.of(events), "l", names));
    }
  }

  private static List<Event> longs(Random random) {
    int nodes = 1 + random.nextInt(random.nextInt(5) == 0 ? 50 : 4);
    int variables = 1 + random.nextInt(3);
    int step = 1 + random.nextInt(3_000);
    List<Event> events = new ArrayList<>();
    long micros = BASE;
    for (int i = 0; i < 1 + random.nextInt(300); i++) {
      micros += random.nextInt(4) == 0 ? 0 : random.nextInt(step);
      Change change =
          new Change(
              Operation.SET, "v" + random.nextInt(variables), Value.of(random.nextInt(9) - 4));
      events.add(
          new Event(
              "n" + random.nextInt(nodes),
              "l",
              HlcTimestamp.pack(micros, 0),
              new EventBody.StateChange(List.of(change))));
    }
    return events;
  }

  private static Event marked(Event event) {
    return new Event(
        event.node(),
        event.log(),
        event.hlc(),
        event.physicalMicros(),
        event.sequence(),
        Set.of(EventMark.UNORDERED),
        event.body());
  }

  @Test
  void encode_manyNodes_areToldApartIfTheyFit() throws Exception {
    for (int nodes : new int[] {1, 30, 100, 300, 700}) {
      EventBlock rows = block(8_192, nodes, 1, 1_000, 10);
      TimelineBins read = TimelineCodec.decode(TimelineCodec.encode(rows, "l", names), names);
      int level = read.nodeLevel();
      TimelineBins tile = added(read, level, Integer.MAX_VALUE);
      TimelineVariable variable = tile.variables().get("v0");
      TimelineBins counted = counted(rows, level, nodes > 100 ? 0 : Integer.MAX_VALUE);
      assertThat(text(tile)).isEqualTo(text(counted));
      assertThat(variable.hasOthers()).isEqualTo(nodes > 100);
      assertThat(variable.nodes()).hasSize(nodes > 100 ? 0 : nodes);
      assertThat(level > read.level()).isEqualTo(nodes == 30 || nodes == 100);
    }
  }

  @Test
  void encode_onlyVariablesOfSeveralTypes_hasNone() throws Exception {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      Value value = i == 50 ? Value.of("x") : Value.of((long) i);
      events.add(
          new Event(
              "n",
              "l",
              HlcTimestamp.pack(BASE + i),
              new EventBody.StateChange(List.of(new Change(Operation.SET, "v", value)))));
    }
    byte[] bytes = TimelineCodec.encode(EventBlock.of(events), "l", names);
    assertThat(TimelineCodec.decode(bytes, names).variables()).isEmpty();
  }

  @Test
  void decode_anotherVersion_isRefused() {
    byte[] bytes = TimelineCodec.encode(block(100, 3, 2, 777), "l", names);
    for (byte version : new byte[] {1, 3}) {
      bytes[0] = version;
      assertThatThrownBy(() -> TimelineCodec.decode(bytes, names))
          .isInstanceOf(CorruptBlockException.class)
          .hasMessageContaining("bins of an unknown version");
    }
  }

  @Test
  void add_moreSeriesThanWanted_countForAllNodesTogether() {
    EventBlock rows = block(3_000, 4, 2, 777);
    TimelineBins limited =
        new TimelineBins(14, BASE >> 14, 200, new TimelineBins.Limits(1, 3, Set.of("v1")));
    limited.add(List.of(rows), "l");
    TimelineBins whole = new TimelineBins(14, BASE >> 14, 200, TimelineBins.Limits.NONE);
    whole.add(List.of(rows), "l");
    assertThat(limited.variables()).containsOnlyKeys("v1");
    assertThat(limited.uncounted()).isEmpty();
    assertThat(limited.series()).isEqualTo(2); // only the odd nodes write v1
    TimelineBins few =
        new TimelineBins(14, BASE >> 14, 200, new TimelineBins.Limits(1, 3, Set.of("v0")));
    few.add(List.of(rows), "l");
    TimelineVariable v0 = few.variables().get("v0");
    assertThat(v0.nodes()).hasSize(3);
    assertThat(v0.hasOthers()).isTrue();
    assertThat(text(v0.all())).isEqualTo(text(whole.variables().get("v0").all()));
  }

  @Test
  void encode_manyNodesAndVariables_staysWithinItsBytes() {
    for (int nodes : new int[] {1, 3, 30, 300}) {
      for (int variables : new int[] {1, 20}) {
        for (long step : new long[] {1, 1_000, 10_000_000L}) {
          EventBlock rows = block(8_192, nodes, variables, step);
          byte[] bytes = TimelineCodec.encode(rows, "l", names);
          assertThat(bytes).hasSizeLessThan(192 + 8_192 / 3 + 8_192 / 4 + 1);
        }
      }
    }
    // Two bins at most, whose bytes grow with the nodes.
    assertThat(TimelineCodec.encode(block(8_192, 4_000, 1, 1_000), "l", names))
        .hasSizeLessThan(2 * 4_000 * 6);
    assertThat(TimelineCodec.encode(block(1, 1, 1, 1), "l", names)).hasSizeLessThan(40);
  }

  @Test
  void encode_allStamps_hasAllBins() throws Exception {
    EventBody body = new EventBody.LogLine("m", Map.of());
    EventBlock rows =
        EventBlock.of(
            List.of(
                new Event("n", "l", HlcTimestamp.MIN_PACKED + 1, body),
                new Event("n", "l", HlcTimestamp.MAX_PACKED - 1, body)));
    TimelineBins read = TimelineCodec.decode(TimelineCodec.encode(rows, "l", names), names);
    assertThat(read.size()).isEqualTo(TimelineBins.MAX_SIZE);
    assertThat(read.lanes().get("n").lines(1_023)).isEqualTo(1);
  }

  @Test
  void add_bins_isTheSameAsAddingRows() {
    EventBlock rows = block(3_000, 4, 2, 777);
    TimelineBins fine = new TimelineBins(12, BASE >> 12, 600, TimelineBins.Limits.NONE);
    fine.add(List.of(rows), "l");
    TimelineBins merged = new TimelineBins(14, (BASE >> 14) + 1, 120, TimelineBins.Limits.NONE);
    merged.add(fine);
    TimelineBins direct = new TimelineBins(14, (BASE >> 14) + 1, 120, TimelineBins.Limits.NONE);
    direct.add(List.of(rows), "l");
    assertThat(text(merged)).isEqualTo(text(direct));
    assertThatThrownBy(() -> fine.add(merged)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void decode_damaged_isRefusedOrReadsSomething() {
    byte[] bytes = TimelineCodec.encode(block(500, 3, 3, 1_000), "l", names);
    Random random = new Random(7);
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged =
          Arrays.copyOf(
              bytes, random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length);
      if (damaged.length > 0) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      }
      try {
        assertThat(TimelineCodec.decode(damaged, names).size()).isPositive();
      } catch (CorruptBlockException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(4_000);
  }
}
