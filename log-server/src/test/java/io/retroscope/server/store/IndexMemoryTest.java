// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Event;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.run.StoreConflictException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexMemoryTest {
  @TempDir Path data;

  @Test
  void append_moreNodesThanTheHeapIsFor_isRefusedWithASentence() {
    MemoryBudget budget = new MemoryBudget(1500 * IndexMemory.BUDGET_PER_RUN_BYTES);
    for (int opening = 0; opening < 2; opening++) {
      try (EventStore store = open(budget)) {
        for (int from = 0; from < 1500; from += 100) {
          store.append(lines(nodes(from, from + 100, opening))).join();
        }
        assertThat(budget.usedBytes()).isGreaterThan(1500 * IndexMemory.RUN_BYTES);
        List<Event> tooMany = nodes(1400, 1501, 2 + opening);
        assertThatThrownBy(() -> store.append(lines(tooMany)).join())
            .isInstanceOf(CompletionException.class)
            .hasCauseInstanceOf(StoreConflictException.class)
            .hasMessageContaining("node \"n1500\" cannot be added")
            .hasMessageContaining("1,500 runs")
            .hasMessageContaining("FORGET NODE");
        assertThat(store.incarnations()).hasSize(1500);
        assertThat(store.writeTrouble()).isEmpty();
        assertThat(store.append(lines(nodes(3, 4, 4 + opening))).join().accepted()).isOne();
      }
      assertThat(budget.usedBytes()).isZero();
    }
  }

  @Test
  void append_moreBlocksThanTheIndexMayHave_isRefusedUntilSomeAreSealed() {
    MemoryBudget budget = new MemoryBudget(256 << 10);
    try (EventStore store = open(budget)) {
      int stored = 0;
      RuntimeException refused = null;
      for (; stored < 10_000 && refused == null; stored++) {
        try {
          store.append(lines(set("a", "l", hlc(1_000L + stored), "x", stored))).join();
        } catch (RuntimeException e) {
          refused = e;
        }
      }
      assertThat(refused)
          .hasMessageContaining("the index of the stored blocks needs")
          .hasMessageContaining("retention");
      assertThat(stored).isBetween(100, 1_000);
      assertThat(store.writeTrouble()).isPresent();
      StoreFixture.sealAll(store);
      assertThat(store.append(lines(set("a", "l", hlc(90_000), "x", 0))).join().accepted()).isOne();
      assertThat(store.writeTrouble()).isEmpty();
    }
  }

  @Test
  void append_moreNamesThanTheIndexMayHave_isRefused() {
    MemoryBudget budget = new MemoryBudget(1 << 20);
    try (EventStore store = open(budget)) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  store.append(lines(set("a", "l", hlc(1_000L + i), "x" + i, 1))).join();
                  if (i % 100 == 99) {
                    StoreFixture.sealAll(store);
                  }
                }
              })
          .hasMessageContaining("the index of the stored blocks needs");
    }
  }

  private EventStore open(MemoryBudget budget) {
    StoreOptions options =
        new StoreOptions(0, budget, 1_000_000).sealingBy(StoreFixture.limits(100));
    return EventStore.open(data, options, () -> StoreFixture.NOW_MICROS);
  }

  private static List<Event> nodes(int from, int to, int seconds) {
    List<Event> events = new ArrayList<>();
    for (int i = from; i < to; i++) {
      events.add(set("n" + i, "l", hlc(1_000_000L * (1 + seconds)), "x", i));
    }
    return events;
  }
}
