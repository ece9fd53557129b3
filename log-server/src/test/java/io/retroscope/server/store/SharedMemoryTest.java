// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.disk.RocksSettings;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.DBOptions;
import org.rocksdb.RocksDB;

/** Tests that several stores of one process use no more memory than a single one may. */
class SharedMemoryTest {
  @TempDir Path directory;

  @Test
  void caches_ofSeveralStores_shareOneBudgetAndGiveWay() {
    MemoryBudget memory = new MemoryBudget(2_000_000);
    StoreOptions options = new StoreOptions(64 << 20, memory, 0);
    try (EventStore first = EventStore.open(directory.resolve("1"), options, () -> NOW_MICROS);
        EventStore second = EventStore.open(directory.resolve("2"), options, () -> NOW_MICROS)) {
      for (EventStore store : List.of(first, second)) {
        for (int batch = 0; batch < 10; batch++) {
          store.append(lines(events(batch))).join();
        }
        assertThat(count(store)).isEqualTo(20_000);
      }
      assertThat(first.figures().cachedBytes() + second.figures().cachedBytes())
          .isPositive()
          .isLessThanOrEqualTo(2_000_000);
      MemoryBudget.Charge request = memory.charge(1_000_000);
      assertThat(memory.usedBytes()).isLessThanOrEqualTo(2_000_000);
      assertThat(count(first)).isEqualTo(20_000);
      request.close();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void settings_ofSeveralStores_haveOneLimitForWriteBuffers() {
    RocksDB.loadLibrary();
    try (RocksSettings first = new RocksSettings(false);
        RocksSettings second = new RocksSettings(false)) {
      DBOptions one = first.strict();
      assertThat(one.writeBufferManager()).isSameAs(second.strict().writeBufferManager());
    }
  }

  private static List<Event> events(int batch) {
    return IntStream.range(0, 2_000)
        .mapToObj(i -> set("a", "l", hlc(2_000L * batch + i), "x", i))
        .toList();
  }

  private static int count(EventStore store) {
    int count = 0;
    try (EventSource.View view = store.open(ClockOffsets.UNKNOWN)) {
      Iterator<Event> events = view.scan(Set.of("l"), HlcRange.ALL);
      for (; events.hasNext(); events.next()) {
        count++;
      }
    }
    return count;
  }
}
