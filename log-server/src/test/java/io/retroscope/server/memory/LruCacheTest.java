// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LruCacheTest {
  private final MemoryBudget budget = new MemoryBudget(1_000);
  private final LruCache<String, Long> cache = new LruCache<>(300, bytes -> bytes, budget);

  @Test
  void put_overTheBound_removesWhatWasUsedLongestAgo() {
    cache.put("a", 100L);
    cache.put("b", 100L);
    cache.put("c", 100L);
    assertThat(cache.get("a")).isEqualTo(100);
    cache.put("d", 100L);

    assertThat(cache.get("b")).isNull();
    assertThat(cache.get("a")).isEqualTo(100);
    assertThat(cache.sizeBytes()).isEqualTo(300);
    assertThat(budget.usedBytes()).isEqualTo(300);
  }

  @Test
  void put_ofAKnownKey_replacesItsValue() {
    cache.put("a", 100L);
    cache.put("a", 40L);

    assertThat(cache.get("a")).isEqualTo(40);
    assertThat(budget.usedBytes()).isEqualTo(40);
  }

  @Test
  void put_ofMoreThanTheBound_keepsTheOthersOnly() {
    cache.put("a", 100L);
    cache.put("grown", 100L);
    cache.put("grown", 301L);

    assertThat(cache.get("grown")).isNull();
    assertThat(cache.get("a")).isEqualTo(100);
    assertThat(budget.usedBytes()).isEqualTo(100);
  }

  @Test
  void charge_ofOthers_evicts() {
    cache.put("a", 100L);
    cache.put("b", 200L);
    try (MemoryBudget.Charge first = budget.charge(450);
        MemoryBudget.Charge second = budget.charge(300)) {
      assertThat(cache.get("a")).isNull();
      assertThat(cache.get("b")).isEqualTo(200);
      assertThat(first.bytes() + second.bytes()).isEqualTo(750);
    }
  }

  @Test
  void removeIf_releasesWhatItRemoves_andKeepsTheRest() {
    cache.put("a", 100L);
    cache.put("b", 200L);
    cache.removeIf("a"::equals);

    assertThat(cache.get("a")).isNull();
    assertThat(cache.get("b")).isEqualTo(200);
    assertThat(budget.usedBytes()).isEqualTo(200);
  }

  @Test
  void close_releasesAllMemory_andKeepsNothingFromThenOn() {
    cache.put("a", 100L);
    cache.close();
    cache.put("b", 100L);

    assertThat(cache.get("a")).isNull();
    assertThat(cache.get("b")).isNull();
    assertThat(budget.usedBytes()).isZero();
  }
}
