// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ColumnWritesTest {
  private static final int SEEDS = 300;

  @Test
  void countStamps_ofRowsWithTies_isTheNumberOfDifferentOnes() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int nodes = 2 + random.nextInt(4);
      int rarity = 1 + random.nextInt(8);
      EventBlock block = block(random, nodes, 1 + random.nextInt(60), rarity);
      int row = random.nextInt(block.size());
      int count = 1 + random.nextInt(block.size() - row);
      ColumnWrites writes = new ColumnWrites(new VariableColumn("l", "v", 0, new TextTable()));
      int[] ids = IntStream.range(0, nodes).toArray();
      assertThat(writes.addAll(block, row, count, ids)).as("seed %d", seed).isTrue();
      for (int i = 0; i < 20; i++) {
        int from = random.nextInt(count + 1);
        int to = from + random.nextInt(count - from + 1);
        long stamps =
            IntStream.range(from, to).mapToLong(at -> block.hlc(row + at)).distinct().count();
        assertThat(writes.countStamps(from, to))
            .as("seed %d, %d to %d", seed, from, to)
            .isEqualTo((int) stamps);
      }
    }
  }

  /** Rows of which those with equal stamps are of different nodes. */
  private static EventBlock block(Random random, int nodes, int size, int rarity) {
    List<Event> events = new ArrayList<>();
    long hlc = 1L << 40;
    int node = 0;
    for (int i = 0; i < size; i++) {
      boolean isTie = i > 0 && node + 1 < nodes && random.nextInt(rarity) == 0;
      hlc += isTie ? 0 : 1;
      node = isTie ? node + 1 : 0;
      Change change = new Change(Operation.SET, "v", Value.of(random.nextInt(9)));
      events.add(new Event("n" + node, "l", hlc, new StateChange(List.of(change))));
    }
    return EventBlock.of(events);
  }
}
