package io.retroscope.blocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of the stored form of bins. */
class TimelineCodecTest {
  private static final long BASE = 1_795_200_000_000_000L;

  private final StoreNames names = new StoreNames();

  private static EventBlock block(int rows, int nodes, int variables, long stepMicros) {
    Random random = new Random(rows);
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      List<Change> changes = new ArrayList<>();
      for (int v = 0; v <= i % variables; v++) {
        changes.add(new Change(Operation.SET, "v" + v, Value.of(random.nextLong())));
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
    EventBlock rows = block(5_000, 3, 3, 1_000);
    TimelineBins read = TimelineCodec.decode(TimelineCodec.encode(rows, "l", names), names);

    TimelineBins counted =
        new TimelineBins(read.level(), read.firstBin(), read.size(), Integer.MAX_VALUE);
    counted.add(List.of(rows), "l");
    assertThat(read.size()).isGreaterThan(10);
    assertThat(text(read)).isEqualTo(text(counted));
  }

  private static String text(TimelineBins bins) {
    StringBuilder text = new StringBuilder();
    bins.lanes()
        .forEach(
            (node, lane) ->
                text.append(node)
                    .append(Arrays.toString(lane.events))
                    .append(Arrays.toString(lane.sends))
                    .append(Arrays.toString(lane.receives))
                    .append(Arrays.toString(lane.lines)));
    bins.variables()
        .forEach(
            (name, values) ->
                text.append(name)
                    .append(Arrays.toString(values.writes))
                    .append(Arrays.toString(values.min))
                    .append(Arrays.toString(values.max))
                    .append(Arrays.toString(values.last))
                    .append(Arrays.toString(values.lastHlc)));
    return text + Arrays.toString(bins.slowest) + Arrays.toString(bins.unmatched);
  }

  @Test
  void encode_manyNodesAndVariables_staysWithinItsBytes() {
    for (int nodes : new int[] {1, 3, 30, 300}) {
      for (int variables : new int[] {1, 20}) {
        for (long step : new long[] {1, 1_000, 10_000_000L}) {
          EventBlock rows = block(8_192, nodes, variables, step);
          assertThat(TimelineCodec.encode(rows, "l", names)).hasSizeLessThan(128 + 8_192 / 3 + 1);
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
    TimelineBins fine = new TimelineBins(12, BASE >> 12, 600, 9);
    fine.add(List.of(rows), "l");
    TimelineBins merged = new TimelineBins(14, (BASE >> 14) + 1, 120, 9);
    merged.add(fine);
    TimelineBins direct = new TimelineBins(14, (BASE >> 14) + 1, 120, 9);
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
