// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions.SealLimits;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests queries over a sealed store that several threads walk in slices. */
class StoreSlicesTest {
  private static final int EVENTS = 400_000;
  private static final int NODES = 3;
  private static final int BLOCK_ROWS = 2_000;
  private static final long START_MICROS = 1_795_200_000_000_000L;

  @TempDir private static Path folder;
  private static EventStore store;

  @BeforeAll
  static void fill() {
    StoreOptions options =
        new StoreOptions(0, new MemoryBudget(256 << 20), 0)
            .sealingBy(new SealLimits(4_096, 16_384, 64));
    store = EventStore.open(folder.resolve("data"), options, () -> 2 * START_MICROS);
    Random random = new Random(3);
    EventBlockBuilder[] builders = new EventBlockBuilder[NODES];
    long[] numbers = new long[NODES];
    List<Submission.EncodedFrame> frames = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      int node = random.nextInt(NODES);
      builders[node] = builders[node] == null ? new EventBlockBuilder() : builders[node];
      builders[node].add(event(i, node, random));
      if (builders[node].size() == BLOCK_ROWS) {
        EventBlock block = builders[node].incarnation("r", ++numbers[node]).build();
        builders[node].clear();
        frames.add(new Submission.EncodedFrame(block, EventBlockCodec.encode(block)));
      }
    }
    store.append(new Submission.Frames(frames)).join();
    while (store.seal(HlcTimestamp.MAX_PACKED) > 0) {
      // The next batch.
    }
  }

  /** Numbers that rise together, and a variable that is written only at the begin. */
  private static Event event(int i, int node, Random random) {
    boolean isRare = i < 10;
    Change change =
        new Change(
            Operation.SET,
            isRare ? "rare" : "r1",
            Value.of(isRare ? 7 : i / 100 - (random.nextInt(5_000) == 0 ? 20 : 0)));
    return new Event(
        "n" + node,
        "setd",
        HlcTimestamp.pack(START_MICROS + 3L * i),
        new EventBody.StateChange(List.of(change)));
  }

  @AfterAll
  static void close() {
    store.close();
  }

  @Test
  void answers_ofSeveralThreads_areThoseOfOne() {
    for (String when :
        List.of(
            "SPREAD(r1) > 12",
            "r1@n0 - r1@n1 >= 1 EMIT INTERVALS",
            "r1@n0 >= r1@n1 FOR 9us EMIT EDGES",
            "COUNT(r1) = 3 EMIT INTERVALS",
            "SUM(r1) % 1000 = 5 LIMIT 20",
            "MIN(rare) = 7 AND MAX(r1) < 0",
            "SPREAD(r1) > 15 AND COUNT(rare) > 0",
            "r1@n0 / (r1@n1 - 2000) > 3000")) {
      String text = "SELECT r1, rare FROM setd WHEN " + when;
      for (String error : List.of(";", " ON ERROR SKIP;")) {
        String all = text.contains("LIMIT") ? text + ";" : text + error;
        assertThat(answer(3, all)).as(all).isEqualTo(answer(1, all));
      }
    }
  }

  @Test
  void explain_ofASealedStore_namesSlices() {
    String text = "EXPLAIN ANALYZE SELECT r1 FROM setd WHEN SPREAD(r1) > 12;";
    assertThat(answer(2, text).toString()).contains("walk 3 time slices").contains("2 threads");
    assertThat(answer(1, text).toString()).contains("walk one time slice");
  }

  @Test
  void borders_ofASealedStore_areFirstStampsOfBlocksAndSplitItEvenly() {
    try (EventSource.View view = store.open(ClockOffsets.UNKNOWN)) {
      Slicing slicing = view.slicing().orElseThrow();
      long[] borders = slicing.borders(Set.of("setd"), HlcRange.ALL, 16);
      assertThat(borders).hasSize(2).isSorted();
      for (int i = 0; i < borders.length; i++) {
        double place = (HlcTimestamp.micros(borders[i]) - START_MICROS) / (3.0 * EVENTS);
        assertThat(place).isBetween((i + 1) / 3.0 - 0.1, (i + 1) / 3.0 + 0.1);
      }
      assertThat(slicing.borders(Set.of("none"), HlcRange.ALL, 16)).isEmpty();
      HlcRange end = new HlcRange(borders[1], HlcTimestamp.MAX_PACKED);
      assertThat(slicing.borders(Set.of("setd"), end, 16)).isEmpty();
    }
  }

  private List<String> answer(int threads, String text) {
    QueryEngine engine =
        new QueryEngine(
            () -> store.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT.withWalkThreads(threads));
    List<String> answer = new ArrayList<>();
    try {
      engine.run(
          engine.prepare(text),
          new RowSink() {
            @Override
            public void columns(List<Column> columns) {}

            @Override
            public boolean row(Row row) {
              answer.add(row.toString());
              return true;
            }

            @Override
            public void warning(String message) {
              answer.add("warning: " + message);
            }
          });
    } catch (RqlException e) {
      answer.add("error: " + e.diagnostics());
    }
    return answer;
  }
}
