// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.NaturalOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NodeTableTest {
  private static final int CASES = 300;

  /** The same names come in the same order again and again, as from blocks, or in any other. */
  @Test
  void ids_ofRandomNames_areThoseOfTheirDiscovery() {
    for (long seed = 0; seed < CASES; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      NodeTable table = new NodeTable();
      List<String> known = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        boolean repeats = random.nextInt(3) > 0;
        String name = "n" + (repeats ? i % 7 : random.nextInt(40));
        int id = known.indexOf(name);
        if (random.nextBoolean()) {
          assertThat(table.find(name)).as("seed " + seed).isEqualTo(id);
        } else {
          if (id < 0) {
            id = known.size();
            known.add(name);
          }
          assertThat(table.idOf(name)).as("seed " + seed).isEqualTo(id);
        }
      }
      List<String> ranked = new ArrayList<>();
      for (int rank = 0; rank < table.size(); rank++) {
        ranked.add(table.name(table.atRank(rank)));
      }
      assertThat(ranked)
          .as("seed " + seed)
          .isSortedAccordingTo(NaturalOrder.INSTANCE)
          .containsExactlyInAnyOrderElementsOf(known);
    }
  }
}
