// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.run.Incarnation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the visibility of events whose sync has failed. */
@Timeout(60)
class FailedSyncTest {
  private final AtomicBoolean broken = new AtomicBoolean();

  /** The syncs that may end. */
  private final Semaphore held = new Semaphore(1_000);

  private final Semaphore syncing = new Semaphore(0);

  @TempDir Path directory;

  @Test
  void append_syncFails_isNeitherAcknowledgedNorVisible() {
    List<EventBlock> heard = new ArrayList<>();
    try (EventStore store = open()) {
      store.append(lines(set("a", "l", hlc(1), "x", 1))).join();
      store.addListener(listener(heard));
      broken.set(true);

      assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(2), "x", 2))).join())
          .hasCauseInstanceOf(StoreException.class)
          .hasMessageContaining("until the server is started again");

      assertThat(stamps(store)).containsExactly(hlc(1));
      assertThat(heard).isEmpty();
      assertThat(store.figures().blockCount()).isEqualTo(1);
    }
  }

  @Test
  void append_afterAFailedSync_isRefusedEvenIfSyncsSucceedAgain() {
    try (EventStore store = open()) {
      broken.set(true);
      assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(1), "x", 1))).join());
      broken.set(false);

      assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(2), "x", 2))).join())
          .hasMessageContaining("a sync of the store's log has failed");
      assertThat(store.writeTrouble())
          .hasValueSatisfying(
              trouble -> assertThat(trouble).contains("no sync today", "started again"));
      assertThat(stamps(store)).isEmpty();
    }
  }

  @Test
  void open_afterAFailedSync_takesEventsAgain() {
    try (EventStore store = open()) {
      broken.set(true);
      assertThatThrownBy(() -> store.append(lines(set("a", "l", hlc(1), "x", 1))).join());
      broken.set(false);
    }
    try (EventStore store = open()) {
      store.append(lines(set("a", "l", hlc(1), "x", 1), set("a", "l", hlc(2), "x", 2))).join();

      assertThat(stamps(store)).containsExactly(hlc(1), hlc(2));
      assertThat(store.writeTrouble()).isEmpty();
    }
  }

  /** A database that is closed while a thread uses it may end the process. */
  @Test
  void close_aSyncDoesNotEnd_leavesTheDatabaseOpenUntilItHas() throws Exception {
    EventStore store = open();
    held.drainPermits();
    CompletableFuture<Receipt> appended = store.append(lines(set("a", "l", hlc(1), "x", 1)));
    assertThat(syncing.tryAcquire(30, TimeUnit.SECONDS)).isTrue();

    assertThatThrownBy(() -> store.close(20))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has not answered for 20 ms");
    assertThat(stamps(store)).as("readable").isEmpty();

    held.release(1_000);
    assertThat(appended.join().accepted()).isEqualTo(1);
    store.close();
    try (EventStore next = open()) {
      assertThat(stamps(next)).containsExactly(hlc(1));
    }
  }

  private EventStore open() {
    return EventStore.open(
        directory,
        StoreOptions.DEFAULT,
        () -> NOW_MICROS,
        Metrics.unread(),
        database -> {
          if (broken.get()) {
            throw new StoreException("no sync today");
          }
          syncing.release();
          held.acquireUninterruptibly();
          database.sync();
        });
  }

  private static List<Long> stamps(EventStore store) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      List<Long> stamps = new ArrayList<>();
      view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(event -> stamps.add(event.hlc()));
      return stamps;
    }
  }

  private static StoreListener listener(List<EventBlock> heard) {
    return new StoreListener() {
      @Override
      public void stored(EventBlock block) {
        heard.add(block);
      }

      @Override
      public void heard(Collection<Incarnation> incarnations) {}
    };
  }
}
