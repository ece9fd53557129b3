// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.merge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StampOrderTest {
  @Test
  void of_randomStamps_isThatOfAStableSort() {
    StampOrder order = new StampOrder();
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      long[] stamps = new long[random.nextInt(random.nextInt(20) == 0 ? 5_000 : 60)];
      int size = random.nextInt(stamps.length + 1);
      int bits = random.nextInt(Long.SIZE);
      int zeros = random.nextInt(17);
      Arrays.setAll(stamps, i -> random.nextLong() >>> bits << zeros);
      assertThat(Arrays.copyOf(order.of(stamps, size), size))
          .as("seed %d", seed)
          .isEqualTo(stableOrder(stamps, size));
    }
  }

  /** Parts are short and long, many stamps are equal, and parts may have the same range or none. */
  @Test
  void of_ascendingParts_isThatOfAStableSort() {
    StampOrder order = new StampOrder();
    for (long seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int parts = 1 + random.nextInt(12);
      long[] stamps = new long[random.nextInt(random.nextInt(20) == 0 ? 5_000 : 200)];
      int range = 1 << random.nextInt(20);
      long apart = random.nextInt(3) * (random.nextLong() >> random.nextInt(Long.SIZE));
      for (int part = 0, from = 0; part < parts; part++) {
        int to =
            part == parts - 1 ? stamps.length : from + random.nextInt(stamps.length - from + 1);
        for (int i = from; i < to; i++) {
          stamps[i] = part * apart + random.nextInt(range);
        }
        Arrays.sort(stamps, from, to);
        from = to;
      }
      assertThat(Arrays.copyOf(order.of(stamps, stamps.length), stamps.length))
          .as("seed %d", seed)
          .isEqualTo(stableOrder(stamps, stamps.length));
    }
  }

  private static int[] stableOrder(long[] stamps, int size) {
    Integer[] sorted = new Integer[size];
    Arrays.setAll(sorted, i -> i);
    Arrays.sort(sorted, Comparator.comparingLong(i -> stamps[i]));
    return Arrays.stream(sorted).mapToInt(Integer::intValue).toArray();
  }

  @Test
  void sortNearlySorted_randomNumbers_isAscending() {
    for (long seed = 0; seed < 1_000; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      long[] numbers = new long[random.nextInt(300)];
      int size = random.nextInt(numbers.length + 1);
      int disorder = 1 << random.nextInt(20);
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = 10L * i + random.nextInt(disorder);
      }
      long[] expected = numbers.clone();
      Arrays.sort(expected, 0, size);
      StampOrder.sortNearlySorted(numbers, size);
      assertThat(numbers).as("seed %d", seed).isEqualTo(expected);
    }
  }
}
