// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.zone.SliceBorders.Start;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Tests where walks over sealed blocks are split. */
class SliceBordersTest {
  /** Blocks of 10,000 events with first stamps in steps of 10 from a stamp on. */
  private static List<Start> blocks(long first, int count) {
    return LongStream.range(0, count).mapToObj(i -> new Start(first + 10 * i, 10_000)).toList();
  }

  @Test
  void borders_ofSeveralStores_splitTheEventsOfAllEvenly() {
    List<List<Start>> stores = List.of(blocks(100, 40), blocks(105, 40), List.of());
    assertThat(SliceBorders.of(stores, HlcRange.ALL, 16, 200_000)).containsExactly(200, 300, 400);
    assertThat(SliceBorders.of(stores, HlcRange.ALL, 2, 200_000)).containsExactly(300);
  }

  @Test
  void borders_fewEvents_areNotMade() {
    List<List<Start>> stores = List.of(blocks(100, 15), blocks(105, 15));
    assertThat(SliceBorders.of(stores, HlcRange.ALL, 16, 150_001)).isEmpty();
    assertThat(SliceBorders.of(stores, HlcRange.ALL, 16, 150_000)).hasSize(1);
    assertThat(SliceBorders.of(stores, HlcRange.ALL, 16, 100_000)).hasSize(2);
    assertThat(SliceBorders.of(List.of(), HlcRange.ALL, 16, 100_000)).isEmpty();
  }

  @Test
  void borders_blocksThatBeginBeforeTheRange_areNone() {
    HlcRange late = new HlcRange(390, 1_000);
    assertThat(SliceBorders.of(List.of(blocks(100, 30)), late, 16, 100_000)).isEmpty();
  }
}
