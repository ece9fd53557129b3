// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TextTableTest {
  @Test
  void numberOf_anyTextsAlsoWithEqualHashes_isThatOfAMap() {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    TextTable table = new TextTable();
    for (int round = 0; round < 20; round++) {
      table.clear();
      Map<String, Integer> expected = new HashMap<>();
      int different = 1 + random.nextInt(6_000);
      for (int i = 0; i < 10_000; i++) {
        String text = text(random, different);
        int number = expected.computeIfAbsent(text, added -> expected.size());
        assertThat(table.numberOf(text)).as("seed %d, round %d", seed, round).isEqualTo(number);
      }
      assertThat(table.size()).isEqualTo(expected.size());
      expected.forEach((text, number) -> assertThat(table.get(number)).isEqualTo(text));
    }
  }

  /** Of the texts of half of all, up to 4,096 have one hash. */
  private static String text(Random random, int different) {
    int which = random.nextInt(different);
    if (which % 2 == 0) {
      return "message " + which;
    }
    StringBuilder text = new StringBuilder();
    for (int bit = 0; bit < 12; bit++) {
      text.append((which >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return text.toString();
  }

  @Test
  void numberOf_asManyTextsOfOneHashAsABlockCanHave_endsSoon() {
    TextTable table = new TextTable();
    for (int number = 0; number < 1 << 16; number++) {
      StringBuilder text = new StringBuilder();
      for (int bit = 0; bit < 16; bit++) {
        text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
      }
      assertThat(table.numberOf(text.toString())).isEqualTo(number);
    }
    assertThat(table.crowdedCount()).isGreaterThan((1 << 16) - 100);
  }
}
