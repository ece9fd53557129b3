// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.memory.MemoryBudget.Charge;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MemoryBudgetTest {
  private final MemoryBudget budget = new MemoryBudget(1_000);

  @Test
  void charge_moreThanOneMayTake_isRefusedForGood() {
    assertThatThrownBy(() -> budget.charge(501))
        .isInstanceOfSatisfying(OverBudgetException.class, e -> assertThat(e.isLasting()).isTrue())
        .hasMessageContaining("501")
        .hasMessageContaining("500");
    assertThat(budget.usedBytes()).isZero();
    assertThat(budget.refusedCount()).isEqualTo(1);
  }

  @Test
  void charge_moreThanIsLeft_waitsForOthersAndIsRefusedForNow() throws Exception {
    Charge first = budget.charge(500);
    Charge second = budget.charge(400);
    Charge third = budget.charge(50);

    assertThatThrownBy(() -> third.resize(101))
        .isInstanceOfSatisfying(
            OverBudgetException.class, e -> assertThat(e.isLasting()).isFalse());
    assertThat(third.bytes()).isEqualTo(50);
    assertThat(budget.refusedCount()).isEqualTo(1);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<Charge> waits = thread.submit((Callable<Charge>) () -> budget.charge(300));
      second.close();
      assertThat(waits.get().bytes()).isEqualTo(300);
    } finally {
      thread.shutdownNow();
    }
    first.close();
    first.close();
    assertThat(budget.usedBytes()).isEqualTo(350);
  }

  @Test
  void charge_whileCachesHoldMemory_makesThemGiveWay() {
    Cache cache = new Cache(budget, 900);

    assertThat(budget.charge(400).bytes()).isEqualTo(400);
    assertThat(cache.own.bytes()).isEqualTo(600);
    assertThat(budget.usedBytes()).isEqualTo(1_000);
    assertThat(cache.own.tryResizeAsCache(601)).isFalse();
  }

  @Test
  void resize_ofManyThreads_neverPassesTheTotal() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Future<Integer>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(i);
      all.add(
          threads.submit(
              () -> {
                int taken = 0;
                try (Charge charge = budget.charge()) {
                  for (int round = 0; round < 20_000; round++) {
                    taken += charge.tryResize(random.nextInt(500)) ? 1 : 0;
                    assertThat(budget.usedBytes()).isBetween(0L, 1_000L);
                  }
                }
                return taken;
              }));
    }
    for (Future<Integer> each : all) {
      assertThat(each.get()).isPositive();
    }
    threads.shutdown();
    assertThat(budget.usedBytes()).isZero();
  }

  private static final class Cache implements MemoryBudget.Cache {
    private final Charge own;

    Cache(MemoryBudget budget, long bytes) {
      own = budget.charge();
      assertThat(own.tryResizeAsCache(bytes)).isTrue();
      budget.add(this);
    }

    @Override
    public void free(long bytes) {
      assertThat(own.tryResizeAsCache(Math.max(0, own.bytes() - bytes))).isTrue();
    }
  }
}
