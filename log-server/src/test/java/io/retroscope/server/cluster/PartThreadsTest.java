// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of parts that are read at the same time. */
@Timeout(60)
class PartThreadsTest {
  private final PartThreads threads = new PartThreads();

  private static int meet(CyclicBarrier barrier, int part) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new IllegalStateException(e);
    }
    return part;
  }

  private static void pause() {
    long until = System.nanoTime() + 100_000_000;
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(until - System.nanoTime());
    }
  }

  @Test
  void each_severalParts_areReadTogetherAndAnsweredInOrder() {
    CyclicBarrier barrier = new CyclicBarrier(3);
    assertThat(threads.each(List.of(1, 2, 3), part -> meet(barrier, part)))
        .containsExactly(1, 2, 3);
  }

  @Test
  void each_moreThanThreadsOrClosed_isReadByTheCaller() {
    List<Integer> many = IntStream.range(0, 1_000).boxed().toList();
    assertThat(threads.each(many, part -> part)).isEqualTo(many);
    threads.close();
    assertThat(threads.each(many, part -> part)).isEqualTo(many);
  }

  /** Nothing may use a part that the caller closes. */
  @Test
  void each_oneFails_throwsAfterAllHaveEnded() {
    AtomicInteger ended = new AtomicInteger();
    CyclicBarrier barrier = new CyclicBarrier(2);
    assertThatThrownBy(
            () ->
                threads.each(
                    List.of(1, 2),
                    part -> {
                      int met = meet(barrier, part);
                      if (met == 1) {
                        throw new StoreException("part 1 is gone");
                      }
                      pause();
                      return ended.incrementAndGet();
                    }))
        .isInstanceOf(StoreException.class)
        .hasMessage("part 1 is gone");
    assertThat(ended).hasValue(1);
  }

  @Test
  void begun_feed_hasAllPiecesAndItsFailure() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    PieceFeed feed =
        new PieceFeed() {
          @Override
          public @Nullable Piece next() throws IOException {
            if (calls.incrementAndGet() == 1) {
              throw new IOException("it broke off");
            }
            return null;
          }

          @Override
          public void close() {
            calls.set(-1);
          }
        };
    try (PieceFeed begun = threads.begun(feed)) {
      assertThatThrownBy(begun::next).isInstanceOf(IOException.class).hasMessage("it broke off");
      assertThat(begun.next()).isNull();
    }
    assertThat(calls).hasValue(-1);
  }

  /** A server that stands still must not delay the end of a query. */
  @Test
  void close_firstPieceNeverComes_endsItsReading() throws Exception {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    PieceFeed feed =
        new PieceFeed() {
          @Override
          public @Nullable Piece next() {
            reading.countDown();
            while (closed.getCount() > 0) {
              Thread.onSpinWait(); // A stream of the JDK does not notice an interrupt.
            }
            pause();
            order.add("ended");
            return null;
          }

          @Override
          public void close() {
            order.add("closed");
            closed.countDown();
          }
        };
    PieceFeed begun = threads.begun(feed);
    reading.await();
    begun.close();
    assertThat(order).containsExactly("closed", "ended");
  }
}
