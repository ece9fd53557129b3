// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.api.ComputingTurns.Turn;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ComputingTurnsTest {
  private static final long TURN = ComputingTurns.TURN.toNanos();

  private final AtomicLong nanos = new AtomicLong();
  private final ComputingTurns turns = new ComputingTurns(1, nanos::get);

  @Test
  void next_withinTheFirstTurn_needsNoSeat() {
    Turn seated = seated();
    Turn shortQuery = turns.begin();
    nanos.addAndGet(TURN - 1);
    shortQuery.next();
    shortQuery.close();
    seated.close();
  }

  @Test
  void next_withAllSeatsTaken_waitsUntilOneGivesWay() throws Exception {
    Turn first = seated();
    CompletableFuture<Void> second = nextOfAnother();
    first.next();
    assertThat(second).as("the turn of the first is not over").isNotDone();
    nanos.addAndGet(TURN);
    CompletableFuture<Void> again = CompletableFuture.runAsync(first::next);
    second.get(60, TimeUnit.SECONDS);
    assertThat(again).as("the first waits for the second").isNotDone();
    turnOfSecond.close();
    again.get(60, TimeUnit.SECONDS);
    first.close();
  }

  @Test
  void leave_beforeWaiting_letsAnotherCompute() throws Exception {
    Turn first = seated();
    CompletableFuture<Void> second = nextOfAnother();
    first.leave();
    second.get(60, TimeUnit.SECONDS);
    turnOfSecond.close();
    first.close();
  }

  @Test
  void close_twice_freesOneSeat() throws Exception {
    Turn first = seated();
    first.close();
    first.close();
    Turn again = seated();
    CompletableFuture<Void> second = nextOfAnother();
    assertThat(second).isNotDone();
    again.close();
    second.get(60, TimeUnit.SECONDS);
    turnOfSecond.close();
  }

  private Turn turnOfSecond = turns.begin();

  private Turn seated() {
    Turn turn = turns.begin();
    nanos.addAndGet(TURN);
    turn.next();
    return turn;
  }

  /** A query on a separate thread that has computed for a turn; completes when it waits. */
  private CompletableFuture<Void> nextOfAnother() throws InterruptedException {
    turnOfSecond = turns.begin();
    long now = nanos.get();
    CompletableFuture<Void> done = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              turnOfSecond.next();
              done.complete(null);
            });
    nanos.set(now + TURN);
    thread.start();
    while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    nanos.set(now);
    return done;
  }
}
