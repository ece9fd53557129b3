// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class LastWritesTest {
  private static final int SEEDS = 4_000;

  @Test
  void store_randomWrites_isThatOfOneWriteAfterTheOther() {
    LastWrites writes = new LastWrites();
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed * 0x9E3779B97F4A7C15L);
      int nodeCount = 1 + random.nextInt(random.nextBoolean() ? 5 : 80);
      byte[] kinds = new byte[nodeCount + random.nextInt(3)];
      long[] now = new long[kinds.length];
      long[] changedAt = new long[kinds.length];
      for (int node = 0; node < nodeCount; node++) {
        kinds[node] = random.nextInt(4) == 0 ? VariableColumn.OTHER : VariableColumn.PACKED;
        now[node] = random.nextInt(3);
        changedAt[node] = -node;
      }
      kinds[0] = VariableColumn.PACKED;
      int[] nodes = new int[random.nextInt(200)];
      long[] written = new long[nodes.length];
      long[] stamps = new long[nodes.length];
      int variety = 1 + random.nextInt(4);
      for (int i = 0; i < nodes.length; i++) {
        int node = random.nextInt(nodeCount);
        nodes[i] = kinds[node] == VariableColumn.PACKED ? node : 0;
        written[i] = random.nextInt(variety);
        stamps[i] = i / 2 + 1L;
      }
      int from = random.nextInt(nodes.length + 1);
      int to = from + random.nextInt(nodes.length - from + 1);
      long[] expected = now.clone();
      long[] expectedChanges = changedAt.clone();
      for (int i = from; i < to; i++) {
        if (expected[nodes[i]] != written[i]) {
          expected[nodes[i]] = written[i];
          expectedChanges[nodes[i]] = stamps[i];
        }
      }
      writes.store(nodes, written, stamps, from, to, kinds, now, changedAt);
      assertThat(now).as("seed %d", seed).isEqualTo(expected);
      assertThat(changedAt).as("seed %d", seed).isEqualTo(expectedChanges);
    }
  }
}
