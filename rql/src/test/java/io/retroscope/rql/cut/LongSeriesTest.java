// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Series of random writes, against the state after each place, found anew. */
class LongSeriesTest {
  private static final int CASES = 2_000;

  @Test
  void series_ofRandomWrites_areThoseOfEachState() {
    for (long seed = 0; seed < CASES; seed++) {
      // The first bits of neighbouring seeds are equal.
      new Case(new Random(seed * 0x9E3779B97F4A7C15L)).check("seed " + seed);
    }
  }

  /** The second stretch has the same length, so that only its number makes the first one stale. */
  @Test
  void series_ofTheNextStretch_areNotThoseOfTheOneBefore() {
    Case before = new Case(new Random(1));
    before.check("first");
    Case after = new Case(new Random(1), before);
    Arrays.fill(after.numbers, 77);
    Arrays.fill(after.written, 78);
    after.check("second");
  }

  /** A stretch in which one variable is written at some of the places. */
  private static final class Case {
    private final Random random;

    /* Numbers are far from one another, or near. */
    private final boolean isWide;
    private final long base;
    private final int span;
    private final LongSeries series;
    private final Stretch stretch;
    private final int nodeCount;
    private final byte[] kinds;
    private final long[] numbers;
    private final int first;
    private final int size;
    private final int from;
    private final int[] places;
    private final int[] nodes;
    private final long[] written;

    Case(Random random) {
      this(random, null);
    }

    Case(Random random, @Nullable Case before) {
      this.random = random;
      isWide = random.nextBoolean();
      span = random.nextBoolean() ? 6 : 1 + random.nextInt(random.nextBoolean() ? 200 : 4_200);
      base = random.nextBoolean() ? 0 : random.nextBoolean() ? Long.MIN_VALUE : (1L << 63) - 5_000;
      series = before == null ? new LongSeries() : before.series;
      stretch = before == null ? new Stretch() : before.stretch;
      nodeCount = 1 + random.nextInt(random.nextBoolean() ? 5 : 30);
      kinds = new byte[nodeCount + random.nextInt(4)];
      numbers = new long[kinds.length];
      for (int node = 0; node < nodeCount; node++) {
        kinds[node] = random.nextInt(6) == 0 ? 0 : VariableColumn.PACKED;
        numbers[node] = number();
      }
      kinds[random.nextInt(nodeCount)] = VariableColumn.PACKED;
      first = random.nextInt(20);
      size = 1 + random.nextInt(60);
      from = random.nextInt(5);
      places = random.nextInt(8) == 0 ? new int[from] : places(random.nextInt(3) == 0);
      nodes = new int[places.length];
      written = new long[places.length];
      for (int i = from; i < places.length; i++) {
        nodes[i] = aLong();
        written[i] = number();
      }
    }

    private int[] places(boolean isDense) {
      int[] chosen =
          random.ints(0, size).limit(isDense ? 40L * size : size / 2 + 1).distinct().toArray();
      Arrays.sort(chosen);
      int[] all = new int[from + chosen.length];
      for (int i = 0; i < chosen.length; i++) {
        all[from + i] = first + chosen[i];
      }
      return all;
    }

    private int aLong() {
      int node = random.nextInt(nodeCount);
      while (kinds[node] != VariableColumn.PACKED) {
        node = (node + 1) % nodeCount;
      }
      return node;
    }

    private long number() {
      return switch (isWide ? random.nextInt(12) : 2) {
        case 0 -> Long.MIN_VALUE;
        case 1 -> Long.MAX_VALUE;
        default -> base + random.nextInt(span);
      };
    }

    void check(String what) {
      stretch.begin(size);
      if (places.length == from) {
        series.beginUnlessKnown(stretch, kinds, numbers);
      } else {
        series.begin(stretch, kinds, numbers, nodes, written, from, places.length, places, first);
      }
      NodeCount count = new NodeCount(2, 4, random.nextBoolean());
      long[] counts = new long[size];
      series.count(count, counts);
      long[] now = numbers.clone();
      int next = from;
      for (int place = 0; place < size; place++) {
        while (next < places.length && places[next] == first + place) {
          now[nodes[next]] = written[next++];
        }
        String where = what + ", place " + place;
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (int node = 0; node < nodeCount; node++) {
          if (kinds[node] == VariableColumn.PACKED) {
            assertThat(series.at(node)[place]).as(where).isEqualTo(now[node]);
            min = Math.min(min, now[node]);
            max = Math.max(max, now[node]);
          }
        }
        assertThat(series.mins()[place]).as(where).isEqualTo(min);
        assertThat(series.maxs()[place]).as(where).isEqualTo(max);
        assertThat(counts[place]).as(where).isEqualTo(count.of(kinds, now));
      }
    }
  }
}
