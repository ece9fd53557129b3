// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.NameTable;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** An index against a list, while blocks are added, replaced and removed. */
class BlockIndexTest {
  private static final int SEEDS = 300;
  private static final int STEPS = 60;

  private final NameTable nodes = new NameTable();

  @Test
  void snapshot_afterRandomChanges_hasTheBlocksOfAList() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      BlockIndex index = new BlockIndex(1 + random.nextInt(8));
      List<BlockZone> expected = new ArrayList<>();
      List<BlockIndex.Snapshot> snapshots = new ArrayList<>();
      List<List<BlockZone>> lists = new ArrayList<>();
      long nextId = 1;
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(8)) {
          case 0 -> replace(random, index, expected);
          case 1 -> removeThrough(random, index, expected);
          default -> {
            BlockZone zone = zone(random, nextId, false);
            nextId += 1 + random.nextInt(3);
            index.add(zone);
            expected.add(zone);
          }
        }
        snapshots.add(index.snapshot());
        lists.add(List.copyOf(expected));
      }
      for (int i = 0; i < STEPS; i++) {
        compare(random, snapshots.get(i), lists.get(i), "seed %d, step %d".formatted(seed, i));
      }
    }
  }

  private void replace(Random random, BlockIndex index, List<BlockZone> expected) {
    List<BlockZone> gone = new ArrayList<>(expected);
    int rarity = 1 + random.nextInt(6);
    gone.removeIf(zone -> random.nextInt(rarity) > 0);
    List<BlockZone> others = new ArrayList<>();
    for (BlockZone zone : gone) {
      if (random.nextInt(4) == 0) {
        others.add(zone(random, zone.id(), true));
      }
    }
    LongStream unknown = random.nextBoolean() ? LongStream.of(1_000_000) : LongStream.empty();
    LongStream ids = LongStream.concat(gone.stream().mapToLong(BlockZone::id), unknown);
    int size = index.replace(ids.toArray(), others);
    expected.removeAll(gone);
    expected.addAll(others);
    expected.sort(Comparator.comparingLong(BlockZone::id));
    assertThat(size).isEqualTo(expected.size());
  }

  private static void removeThrough(Random random, BlockIndex index, List<BlockZone> expected) {
    long id = random.nextInt(6) == 0 ? random.nextInt(200) : random.nextInt(20);
    expected.removeIf(zone -> zone.id() <= id);
    assertThat(index.removeThrough(id)).isEqualTo(expected.size());
  }

  private static void compare(
      Random random, BlockIndex.Snapshot snapshot, List<BlockZone> expected, String what) {
    assertThat(snapshot.size()).as(what).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      BlockZone zone = expected.get(i);
      assertThat(snapshot.zone(i)).as(what).isSameAs(zone);
      assertThat(LongStream.of(snapshot.id(i), snapshot.firstHlc(i), snapshot.lastHlc(i)))
          .as(what)
          .containsExactly(zone.id(), zone.firstHlc(), zone.lastHlc());
    }
    assertThat(snapshot.sealedCount())
        .as(what)
        .isEqualTo((int) expected.stream().filter(BlockZone::isSealed).count());
    long from = random.nextInt(200);
    HlcRange range = new HlcRange(from, from + random.nextInt(20));
    assertThat(snapshot.overlapping(range, zone -> true))
        .as(what)
        .isEqualTo(expected.stream().filter(zone -> zone.overlaps(range)).toList());
    assertThat(snapshot.holdsLog("l") || expected.isEmpty()).as(what).isTrue();
  }

  private BlockZone zone(Random random, long id, boolean isSealed) {
    long first = id + random.nextInt(30);
    long last = first + random.nextInt(30);
    StateChange body =
        new StateChange(List.of(new Change(Operation.SET, "x", Value.of(random.nextInt()))));
    EventBlock rows =
        EventBlock.of(List.of(new Event("n", "l", first, body), new Event("n", "l", last, body)));
    return isSealed ? SealedParts.zoneOf(id, rows, null, nodes) : BlockZone.of(id, rows);
  }
}
