// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class PersistentMapTest {
  private final long seed = Long.getLong("retroscope.seed", 20261122);

  @Test
  void anyChanges_equalThoseOfATreeMap_andLeaveEarlierMapsAlone() {
    Random random = new Random(seed);
    PersistentMap<Integer, Integer> map = PersistentMap.empty(Comparator.<Integer>naturalOrder());
    TreeMap<Integer, Integer> model = new TreeMap<>();
    List<PersistentMap<Integer, Integer>> earlier = new ArrayList<>();
    List<Map<Integer, Integer>> theirs = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      int key = random.nextInt(300);
      if (random.nextInt(3) == 0) {
        map = map.without(key);
        model.remove(key);
      } else {
        map = map.with(key, i);
        model.put(key, i);
      }
      assertSame(map, model, random.nextInt(302) - 1);
      if (i % 300 == 0) {
        earlier.add(map);
        theirs.add(new TreeMap<>(model));
      }
    }
    for (int i = 0; i < earlier.size(); i++) {
      assertThat(entries(earlier.get(i))).as("seed %d", seed).isEqualTo(theirs.get(i));
    }
  }

  private void assertSame(
      PersistentMap<Integer, Integer> map, NavigableMap<Integer, Integer> model, int probe) {
    assertThat(map.size()).as("seed %d", seed).isEqualTo(model.size());
    assertThat(map.get(probe)).as("seed %d", seed).isEqualTo(model.get(probe));
    assertThat(map.floor(probe)).as("seed %d", seed).isEqualTo(model.floorEntry(probe));
    assertThat(map.higher(probe)).as("seed %d", seed).isEqualTo(model.higherEntry(probe));
    List<Integer> tail = new ArrayList<>();
    map.from(probe).forEachRemaining(entry -> tail.add(entry.getKey()));
    assertThat(tail).as("seed %d", seed).containsExactlyElementsOf(model.tailMap(probe).keySet());
    if (!model.isEmpty()) {
      assertThat(map.first()).isEqualTo(model.firstEntry());
      assertThat(map.last()).isEqualTo(model.lastEntry());
    }
  }

  @Test
  void ascendingKeys_stayBalanced() {
    PersistentMap<Integer, Integer> map = PersistentMap.empty(Comparator.<Integer>naturalOrder());
    for (int i = 0; i < 100_000; i++) {
      map = map.with(i, i);
    }
    assertThat(map.height()).isLessThanOrEqualTo(24);
    for (int i = 0; i < 99_990; i++) {
      map = map.without(i);
    }
    assertThat(map.height()).isLessThanOrEqualTo(5);
    assertThat(map.values())
        .containsExactly(
            99_990, 99_991, 99_992, 99_993, 99_994, 99_995, 99_996, 99_997, 99_998, 99_999);
  }

  private static Map<Integer, Integer> entries(PersistentMap<Integer, Integer> map) {
    Map<Integer, Integer> entries = new TreeMap<>();
    map.forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
    return entries;
  }
}
