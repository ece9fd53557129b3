package io.retroscope.blocks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StampOrderTest {
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
