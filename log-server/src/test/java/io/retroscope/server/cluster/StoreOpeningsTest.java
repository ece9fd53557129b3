// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.disk.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StoreOpeningsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final StoreOpenings openings = new StoreOpenings();
  @TempDir Path folder;

  private EventStore open() {
    return EventStore.open(folder, StoreOptions.DEFAULT, () -> 0);
  }

  private EventStore take(Supplier<EventStore> opening) {
    AtomicReference<EventStore> taken = new AtomicReference<>();
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              openings.openLater(3, opening).ifPresent(taken::set);
              return taken.get() != null;
            });
    return taken.get();
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(200);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Two stores in one folder would refuse each other. */
  @Test
  void openLater_storeThatIsBeingClosed_isOpenedOnceAfterIt() {
    List<String> order = new CopyOnWriteArrayList<>();
    EventStore first = openings.open(3, this::open);
    openings.close(
        3,
        () -> {
          pause();
          first.close();
          order.add("closed");
        });
    EventStore second =
        take(
            () -> {
              order.add("opened");
              return open();
            });
    assertThat(order).containsExactly("closed", "opened");
    openings.close(3, second::close);
    openings.close();
    open().close();
  }

  @Test
  void openLater_whileItIsBeingOpened_doesNotWait() throws Exception {
    CountDownLatch slow = new CountDownLatch(1);
    Supplier<EventStore> opening =
        () -> {
          try {
            slow.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          return open();
        };
    assertThat(openings.openLater(3, opening)).isEmpty();
    assertThat(openings.openLater(3, opening)).isEqualTo(Optional.empty());
    slow.countDown();
    take(opening).close();
  }

  /** Its partition has gone elsewhere meanwhile. */
  @Test
  void close_storeThatNobodyTook_isClosed() {
    assertThat(openings.openLater(3, this::open)).isEmpty();
    openings.close();
    open().close();
  }

  /** It may work at the next attempt. */
  @Test
  void open_thatFailed_isTriedAgain() {
    assertThatThrownBy(
            () ->
                openings.open(
                    3,
                    () -> {
                      throw new StoreException("the disk is full");
                    }))
        .isExactlyInstanceOf(StoreException.class)
        .hasMessage("the disk is full");
    openings.open(3, this::open).close();
  }
}
