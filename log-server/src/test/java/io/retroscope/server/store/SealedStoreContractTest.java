// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.store.StoreOptions.SealLimits;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** The contract of sealed blocks in a server's database, sealed while events arrive. */
class SealedStoreContractTest extends SealedSourceContract {
  private static final int LINES = 50;

  private @Nullable EventStore store;

  @Override
  EventSource sealed(List<Event> arriving) {
    close();
    int waiting = append(arriving);
    // Those that were too few for a batch.
    EventStore rest = open(Math.max(1, waiting));
    store = rest;
    seal(rest);
    assertThat(rest.figures().blockCount()).isEqualTo(rest.figures().sealedBlockCount());
    return () -> rest.open(ClockOffsets.UNKNOWN);
  }

  /** Returns the number of blocks that are not sealed. */
  private int append(List<Event> arriving) {
    try (EventStore filled = open(4_096)) {
      for (int from = 0; from < arriving.size(); from += LINES) {
        int to = Math.min(arriving.size(), from + LINES);
        filled.append(StoreFixture.lines(arriving.subList(from, to))).join();
        if (from % (40 * LINES) == 0) {
          seal(filled);
        }
      }
      seal(filled);
      EventStore.Figures figures = filled.figures();
      return (int) (figures.blockCount() - figures.sealedBlockCount());
    }
  }

  private EventStore open(int batchBlocks) {
    SealLimits limits = new SealLimits(Sealing.ROWS, 2 * Sealing.ROWS, batchBlocks);
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(limits);
    return EventStore.open(folder.resolve("store"), options, () -> StoreFixture.NOW_MICROS);
  }

  private static void seal(EventStore store) {
    while (store.seal(Long.MAX_VALUE) > 0) {
      // The next batch.
    }
  }

  @AfterEach
  void close() {
    if (store != null) {
      store.close();
    }
  }
}
