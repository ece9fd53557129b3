// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Compares extremes by counts with those of a search over all nodes after each write. */
class NumberCountsTest {
  private static final int[] RANGES = {1, 2, 64, 65, 128, 1_000, 4_096, 4_097};
  private static final int WRITES = 300;

  @Test
  void follow_randomWrites_findsTheExtremesOfASearch() {
    NumberCounts counts = new NumberCounts();
    int found = 0;
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int range = RANGES[random.nextInt(RANGES.length)];
      long base = random.nextBoolean() ? random.nextInt() : Long.MAX_VALUE - range;
      byte[] kinds = new byte[1 + random.nextInt(80)];
      long[] now = new long[kinds.length];
      for (int node = 0; node < kinds.length; node++) {
        kinds[node] = node == 0 || random.nextInt(9) > 0 ? VariableColumn.PACKED : 0;
        now[node] = kinds[node] == 0 ? 77 : base + random.nextInt(range);
      }
      int from = random.nextInt(5);
      int to = from + random.nextInt(WRITES);
      int[] nodes = new int[to];
      long[] written = new long[to];
      for (int i = from; i < to; i++) {
        do {
          nodes[i] = random.nextInt(kinds.length);
        } while (kinds[nodes[i]] == 0);
        // Mostly near the ends, where extremes are, and at the borders of words.
        int number = random.nextBoolean() ? random.nextInt(range) : 63 + 64 * random.nextInt(64);
        written[i] = base + Math.min(number, range - 1);
      }
      long low = extreme(kinds, now, false);
      long high = extreme(kinds, now, true);
      long[] mins = new long[to - from];
      long[] maxs = new long[to - from];
      long[] present = now.clone();
      if (counts.follow(kinds, present, low, high, nodes, written, from, to, mins, maxs)) {
        found++;
        for (int i = from; i < to; i++) {
          now[nodes[i]] = written[i];
          assertThat(mins[i - from]).as("min, seed %d", seed).isEqualTo(extreme(kinds, now, false));
          assertThat(maxs[i - from]).as("max, seed %d", seed).isEqualTo(extreme(kinds, now, true));
        }
        assertThat(present).as("seed %d", seed).isEqualTo(now);
      } else {
        long most = Math.max(high, Arrays.stream(written, from, to).max().orElse(high));
        long least = Math.min(low, Arrays.stream(written, from, to).min().orElse(low));
        assertThat(most - least).as("seed %d", seed).isGreaterThanOrEqualTo(4_096);
      }
    }
    assertThat(found).isGreaterThan(1_500);
  }

  private static long extreme(byte[] kinds, long[] numbers, boolean isMax) {
    long extreme = isMax ? Long.MIN_VALUE : Long.MAX_VALUE;
    for (int node = 0; node < kinds.length; node++) {
      if (kinds[node] == VariableColumn.PACKED) {
        extreme = isMax ? Math.max(extreme, numbers[node]) : Math.min(extreme, numbers[node]);
      }
    }
    return extreme;
  }
}
