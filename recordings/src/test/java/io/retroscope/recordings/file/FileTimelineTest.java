// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelineVariable;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileAddress;
import io.retroscope.rql.timeline.TileJson;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.rql.timeline.TimelineBlocks;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of tiles from a file, against a count of all events. */
class FileTimelineTest {
  private static final long BASE = 1_795_200_000_000_000L;

  @TempDir private Path folder;

  private static List<Event> history(Random random) {
    List<Event> events = new ArrayList<>();
    long micros = BASE;
    for (int i = 0; i < 500; i++) {
      micros += 1 + random.nextInt(random.nextInt(50) == 0 ? 4_000_000 : 900);
      String node = "n" + random.nextInt(3);
      long hlc = HlcTimestamp.pack(micros, random.nextInt(3));
      String log = random.nextInt(4) == 0 ? "b" : "a";
      events.add(
          switch (random.nextInt(8)) {
            case 0 -> new Event(node, log, hlc, new EventBody.LogLine("m", Map.of()));
            case 1 -> new Event(node, "", hlc, new EventBody.Stop());
            case 2 -> new Event(node, "", hlc, new EventBody.Heartbeat(1_000));
            case 3 -> new Event(node, log, hlc, new EventBody.Send("n1", "m" + i));
            default -> {
              Value value = Value.of((long) random.nextInt(100));
              Change change = new Change(Operation.SET, "x", value);
              yield new Event(node, log, hlc, new EventBody.StateChange(List.of(change)));
            }
          });
    }
    return events;
  }

  private static Tile tile(SealedFileSource file, TileAddress address) {
    try (TimelineBlocks blocks = file.openTimeline()) {
      return new TileMaker(blocks, address, TileMaker.Limits.DEFAULT).make(Set.of(), Set.of());
    }
  }

  /** Each count and extreme of a tile, or of a scan, as a line of text by its place. */
  private static Map<String, String> text(Tile tile) {
    Map<String, String> text = new TreeMap<>();
    tile.logs()
        .forEach(
            (log, bins) -> {
              for (int bin = 0; bin < bins.size(); bin++) {
                String place = log + " " + bin + " ";
                for (Map.Entry<String, TimelineBins.Lane> lane : bins.lanes().entrySet()) {
                  if (lane.getValue().events(bin) > 0) {
                    String counts =
                        lane.getValue().events(bin)
                            + " "
                            + lane.getValue().sends(bin)
                            + " "
                            + lane.getValue().lines(bin);
                    text.put(place + lane.getKey(), counts);
                  }
                }
                for (TimelineVariable variable : bins.variables().values()) {
                  for (var node : variable.nodes().entrySet()) {
                    if (node.getValue().writes(bin) > 0) {
                      String extremes =
                          node.getValue().writes(bin)
                              + " "
                              + node.getValue().min(bin)
                              + " "
                              + node.getValue().max(bin)
                              + " "
                              + node.getValue().last(bin);
                      text.put(place + node.getKey() + " x", extremes);
                    }
                  }
                }
              }
            });
    return text;
  }

  private static Map<String, String> text(List<Event> events, TileAddress address) {
    Map<String, long[]> lanes = new TreeMap<>();
    Map<String, List<Long>> writes = new TreeMap<>();
    for (Event event : events) {
      long bin = HlcTimestamp.micros(event.hlc()) >> address.level();
      if (bin / TileAddress.BINS != address.tile() || event.body() instanceof EventBody.Heartbeat) {
        continue;
      }
      String place = event.log() + " " + bin % TileAddress.BINS + " " + event.node();
      long[] lane = lanes.computeIfAbsent(place, any -> new long[3]);
      lane[0]++;
      lane[1] += event.body() instanceof EventBody.Send ? 1 : 0;
      lane[2] += event.body() instanceof EventBody.LogLine ? 1 : 0;
      if (event.body() instanceof EventBody.StateChange state
          && state.changes().get(0).value() instanceof Value.LongValue value) {
        writes.computeIfAbsent(place + " x", any -> new ArrayList<>()).add(value.value());
      }
    }
    Map<String, String> text = new TreeMap<>();
    lanes.forEach((place, lane) -> text.put(place, lane[0] + " " + lane[1] + " " + lane[2]));
    writes.forEach(
        (place, values) ->
            text.put(
                place,
                values.size()
                    + " "
                    + values.stream().mapToLong(value -> value).min().orElseThrow()
                    + " "
                    + values.stream().mapToLong(value -> value).max().orElseThrow()
                    + " "
                    + values.get(values.size() - 1)));
    return text;
  }

  @Test
  void tile_randomHistories_countsAsAScanDoesAndReadsNoBlock() throws IOException {
    int lines = 0;
    for (int seed = 1; seed <= 40; seed++) {
      Random random = new Random(seed);
      List<Event> events = history(random);
      try (SealedFileSource file =
          SmallFiles.source(folder.resolve("f" + seed), events, 1 + random.nextInt(80), 100)) {
        for (int i = 0; i < 10; i++) {
          int level = i == 0 ? TimelineBins.MAX_LEVEL : 15 + random.nextInt(12);
          long micros = HlcTimestamp.micros(events.get(random.nextInt(events.size())).hlc());
          TileAddress address = new TileAddress(level, micros >> (level + 10));
          Tile tile = tile(file, address);
          assertThat(tile.blocksRead()).isZero();
          if (tile.missing().isEmpty() && tile.finestNodeLevel().isEmpty()) {
            Map<String, String> expected = text(events, address);
            assertThat(text(tile)).as("seed " + seed + ", " + address).isEqualTo(expected);
            lines += expected.size();
          }
        }
      }
    }
    assertThat(lines).isGreaterThan(10_000);
  }

  @Test
  void tile_losses_areCountedInEachBinThatTheyOverlap() throws IOException {
    for (int seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      TileAddress address = new TileAddress(10, BASE >> 20);
      long start = address.tile() << 20;
      List<Gap> gaps = new ArrayList<>();
      int[][] expected = new int[2][TileAddress.BINS];
      for (int i = random.nextInt(6); i > 0; i--) {
        int node = random.nextInt(2);
        long from = start + random.nextInt(1 << 21) - (1 << 19);
        long to = from + random.nextInt(random.nextBoolean() ? 3_000 : 1 << 20);
        if (to >= start && from < start + (1 << 20)) {
          gaps.add(new Gap("n" + node, "", new HlcRange(HlcTimestamp.pack(from), pack(to)), 1));
        }
        for (int bin = 0; bin < TileAddress.BINS; bin++) {
          long bin0 = start + ((long) bin << 10);
          expected[node][bin] += from < bin0 + (1 << 10) && to >= bin0 ? 1 : 0;
        }
      }
      Tile tile =
          new Tile(
              address,
              Map.of(),
              List.of(),
              OptionalInt.empty(),
              OptionalInt.empty(),
              gaps,
              List.of(),
              0);
      int[][] counted = new int[2][TileAddress.BINS];
      tile.gapRuns()
          .forEach(
              (node, runs) -> {
                for (Tile.GapRun run : runs) {
                  for (int bin = run.first(); bin <= run.last(); bin++) {
                    counted[node.charAt(1) - '0'][bin] += run.gaps();
                  }
                }
              });
      assertThat(counted).as("seed " + seed).isDeepEqualTo(expected);
    }
  }

  private static long pack(long micros) {
    return HlcTimestamp.pack(micros, HlcTimestamp.MAX_LOGICAL);
  }

  @Test
  void tile_fileWithLosses_namesTheirBins() throws IOException {
    Path path = folder.resolve("gaps");
    try (SealedConversion conversion = new SealedConversion(path)) {
      conversion.event(
          new Event("n1", "a", HlcTimestamp.pack(BASE), new EventBody.LogLine("m", Map.of())));
      HlcRange lost = new HlcRange(HlcTimestamp.pack(BASE + 3_000), pack(BASE + 5_000));
      conversion.gap(new Gap("n2", "r", lost, 7));
      conversion.finish();
    }
    try (SealedFileSource file = SealedFileSource.open(path, SealedFileSource.NO_CLOCKS)) {
      Tile tile = tile(file, new TileAddress(10, BASE >> 20));
      long first = (BASE >> 10) % TileAddress.BINS;
      assertThat(new String(TileJson.bytes(tile), StandardCharsets.UTF_8))
          .contains(
              "\"gapBins\":{\"n2\":[[%d,%d,1]]},\"moreGapNodes\":0"
                  .formatted(((BASE + 3_000) >> 10) % 1_024, ((BASE + 5_000) >> 10) % 1_024))
          .contains("\"nodes\":{\"n1\":[[%d,1,0,0,1]]}".formatted(first));
    }
  }
}
