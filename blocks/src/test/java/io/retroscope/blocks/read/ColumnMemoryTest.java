// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import org.junit.jupiter.api.Test;

class ColumnMemoryTest {
  private final ColumnMemory memory = new ColumnMemory();

  @Test
  void longs_afterTheBlockIsReleased_areItsArray() {
    long[] first = memory.longs(8);
    EventBlock block = lend();
    assertThat(memory.longs(8)).isNotSameAs(first);
    memory.release(block);
    assertThat(memory.longs(9)).isNotSameAs(first);
    assertThat(memory.longs(8)).isSameAs(first);
    assertThat(memory.longs(8)).isNotSameAs(first);
  }

  @Test
  void ints_afterTheBlockIsReleased_areItsArray() {
    int[] first = memory.ints(8);
    EventBlock block = lend();
    assertThat(memory.ints(8)).isNotSameAs(first);
    memory.release(block);
    assertThat(memory.ints(8)).isSameAs(first);
  }

  @Test
  void intsAtLeast_sizesWithTheSamePowerOfTwoAbove_areOneArray() {
    int[] first = memory.intsAtLeast(5);
    assertThat(first).hasSize(8);
    memory.release(lend());
    assertThat(memory.intsAtLeast(8)).isSameAs(first);
    assertThat(memory.intsAtLeast(0)).isEmpty();
    assertThat(memory.intsAtLeast(1)).hasSize(1);
    assertThat(memory.intsAtLeast(9)).hasSize(16);
  }

  @Test
  void takeBack_arraysOfNoBlock_areUsedAgain() {
    long[] first = memory.longs(8);
    memory.takeBack();
    assertThat(memory.longs(8)).isSameAs(first);
  }

  @Test
  void release_twoBlocks_eachHasItsOwnArrays() {
    long[] first = memory.longs(8);
    EventBlock one = lend();
    long[] second = memory.longs(8);
    EventBlock other = lend();
    memory.release(other);
    assertThat(memory.longs(8)).isSameAs(second);
    memory.release(one);
    assertThat(memory.longs(8)).isSameAs(first);
  }

  @Test
  void release_twiceOrUnknown_changesNothing() {
    memory.longs(8);
    EventBlock block = lend();
    memory.release(block);
    memory.release(block);
    memory.release(block(3));
    assertThat(memory.freeBytes()).isEqualTo(64);
  }

  @Test
  void release_arrays_areSpoiledForWhoeverStillReadsThem() {
    long[] longs = memory.longs(2);
    int[] ints = memory.ints(2);
    longs[1] = 5;
    ints[1] = 5;
    memory.release(lend());
    assertThat(longs[1]).isNotIn(0L, 5L);
    assertThat(ints[1]).isNotIn(0, 5);
  }

  @Test
  void release_manyArrays_keepsOneMebibyte() {
    for (int size = 1; size <= 1_000; size++) {
      memory.longs(10_000 + size);
      memory.ints(10_000 + size);
      memory.release(lend());
    }
    assertThat(memory.freeBytes()).isBetween((1L << 20) - 88_000, 1L << 20);
    long before = memory.freeBytes();
    memory.longs(11_000);
    assertThat(memory.freeBytes()).isEqualTo(before - 88_000);
  }

  @Test
  void release_manySmallArrays_keepsTheLatest64() {
    for (int i = 0; i < 100; i++) {
      memory.longs(i < 50 ? 2 : 1);
    }
    memory.release(lend());
    assertThat(memory.freeBytes()).isEqualTo((50 + 2 * 14) * 8);
  }

  private EventBlock lend() {
    EventBlock block = block(1);
    memory.lendTo(block);
    return block;
  }

  private static EventBlock block(long number) {
    return EventBlock.heartbeat("n1", "a", 0, HlcTimestamp.pack(5), number);
  }
}
