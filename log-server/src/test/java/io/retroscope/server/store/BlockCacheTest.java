// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.server.memory.MemoryBudget;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BlockCacheTest {
  @Test
  void put_blocksOfFewBytesButMuchMemory_keepsWithinTheMemoryBound() {
    List<Event> events =
        IntStream.range(0, 4_000).mapToObj(i -> set("a", "l", hlc(i), "x", 0)).toList();
    EventBlock block = EventBlock.of(events);
    assertThat(EventBlockCodec.encode(block)).hasSizeLessThan(20_000);
    long memory = block.memoryBytes();
    BlockCache cache = new BlockCache(3 * memory, new MemoryBudget(100 * memory));
    for (long id = 1; id <= 10; id++) {
      cache.put(id, block);
    }

    assertThat(memory).isGreaterThan(200_000);
    assertThat(cache.sizeBytes()).isEqualTo(3 * memory);
    assertThat(cache.get(7L)).isNull();
    assertThat(cache.get(8L)).isSameAs(block);
  }
}
