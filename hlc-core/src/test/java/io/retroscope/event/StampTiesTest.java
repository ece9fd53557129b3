// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class StampTiesTest {
  private static final int SEEDS = 2_000;

  @Test
  void next_randomStamps_isTheFirstRowWithTheStampOfTheOneBefore() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int size = random.nextInt(300);
      int rarity = 1 + random.nextInt(random.nextBoolean() ? 4 : 100);
      long[] stamps = new long[size + random.nextInt(3)];
      for (int row = 1; row < stamps.length; row++) {
        stamps[row] = stamps[row - 1] + (random.nextInt(rarity) == 0 ? 0 : 1);
      }
      StampTies ties = StampTies.of(stamps, size);
      for (int i = 0; i < 20; i++) {
        int from = 1 + random.nextInt(size + 2);
        int to = random.nextInt(size + 1);
        int none = to + random.nextInt(2);
        assertThat(ties.next(from, to, none))
            .as("seed %d, %d to %d", seed, from, to)
            .isEqualTo(firstTie(stamps, from, to, none));
      }
    }
  }

  private static int firstTie(long[] stamps, int from, int to, int none) {
    for (int row = from; row < to; row++) {
      if (stamps[row] == stamps[row - 1]) {
        return row;
      }
    }
    return none;
  }
}
