// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class ExecutionOrderTest {
  private static final long SEED = 20261128;
  private static final int RUNS = 100;
  private static final int INSTANCES = 12;

  @Test
  void commit_inAnyOrder_executesInOne() {
    Random random = new Random(SEED);
    try (Recorder recorder = Recorder.builder().node("r00").sink(new MemorySink()).build()) {
      for (int run = 0; run < RUNS; run++) {
        List<Instance> instances = conflicting(random);
        Map<String, List<String>> first = executed(recorder, instances);
        Collections.shuffle(instances, random);
        assertThat(executed(recorder, instances))
            .as("run %d of seed %d", run, SEED)
            .isEqualTo(first);
        assertThat(first.get("epaxos/k")).hasSize(INSTANCES);
      }
    }
  }

  @Test
  void commit_dependsOnOneThatIsNot_waits() {
    try (Recorder recorder = Recorder.builder().node("r00").sink(new MemorySink()).build()) {
      ExecutionOrder order = new ExecutionOrder(recorder.log("paxos"));
      order.commit(new Instance("r01.1", "b", "k", 2, Set.of("r00.1")));
      assertThat(order.chains()).isEmpty();
      order.commit(new Instance("r00.1", "a", "k", 1, Set.of()));
      assertThat(order.chains()).containsEntry("epaxos/k", List.of("a", "b"));
    }
  }

  /** Of any two, one is after the other, or both are. */
  private static List<Instance> conflicting(Random random) {
    List<Instance> instances = new ArrayList<>();
    for (int i = 0; i < INSTANCES; i++) {
      instances.add(
          new Instance("r0" + i % 5 + "." + i, "c" + i, "k", 1 + random.nextInt(5), Set.of()));
    }
    for (int i = 0; i < INSTANCES; i++) {
      for (int j = 0; j < i; j++) {
        int kind = random.nextInt(10);
        if (kind < 9) {
          after(instances, i, j);
        }
        if (kind >= 8) {
          after(instances, j, i);
        }
      }
    }
    return instances;
  }

  private static void after(List<Instance> instances, int later, int earlier) {
    instances.set(
        later, instances.get(later).with(0, new TreeSet<>(Set.of(instances.get(earlier).id()))));
  }

  private static Map<String, List<String>> executed(Recorder recorder, List<Instance> instances) {
    ExecutionOrder order = new ExecutionOrder(recorder.log("paxos"));
    instances.forEach(order::commit);
    return order.chains();
  }
}
