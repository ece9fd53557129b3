// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.health.ThreadWatch;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.MarkedSync.LogSync;
import io.retroscope.server.store.disk.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the store and its callers after a failure of the writing thread. */
@Timeout(60)
class FatalErrorTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  @TempDir Path directory;

  @Test
  void append_outOfMemory_endsTheProcess() throws Exception {
    List<Throwable> ends = new ArrayList<>();
    AutoCloseable realEnd = FatalErrors.replace(ends::add);
    try (EventStore store =
        open(
            database -> {
              if (ends.isEmpty()) {
                throw new OutOfMemoryError("on purpose");
              }
            })) {
      assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(1), "x", 1))).join())
          .hasCauseInstanceOf(OutOfMemoryError.class);
      assertThat(ends).hasOnlyElementsOfType(OutOfMemoryError.class).isNotEmpty();
    } finally {
      realEnd.close();
    }
  }

  @Test
  void append_writingThreadHasEnded_isRefusedAtOnceAndHealthReportsIt() {
    try (EventStore store = open(LogSync.REAL)) {
      ThreadWatch watch = new ThreadWatch();
      watch.add(store.writingThread());
      assertThat(watch.trouble()).isEmpty();
      store.writingThread().interrupt();
      Awaitility.await().atMost(PATIENCE).until(() -> !store.writingThread().isAlive());

      assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(1), "x", 1))).join())
          .isInstanceOf(StoreException.class);
      assertThat(watch.trouble())
          .contains("thread store-writer has ended: see the log, and start the server again");
    }
  }

  private EventStore open(LogSync sync) {
    return EventStore.open(
        directory, StoreOptions.DEFAULT, () -> NOW_MICROS, Metrics.unread(), sync);
  }
}
