// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the limits and the order of the items of several slices. */
@Timeout(60)
class SliceQueueTest {
  private static final long MOST = SliceQueue.MAX_WAITING_BYTES;

  private final SliceQueue queue = new SliceQueue(3);
  private final List<Thread> helpers = new ArrayList<>();

  @AfterEach
  void endHelpers() throws InterruptedException {
    queue.stop();
    for (Thread helper : helpers) {
      helper.join();
    }
  }

  @Test
  void take_ofItemsInAnyOrder_givesThoseOfTheFirstSliceFirst() {
    queue.putWhenRoom(1, List.of(item(10)), 1);
    assertThat(queue.take(false)).isEmpty();
    queue.next();
    assertThat(queue.joined()).as("a slice that is not done").isZero();
    assertThat(queue.hasNext()).isFalse();
    queue.putWhenRoom(0, List.of(item(1), item(2)), 1);
    queue.end(0, null);
    assertThat(queue.hasNext()).isTrue();
    queue.next();
    assertThat(queue.joined()).as("items are left").isZero();
    assertThat(queue.take(false)).containsExactly(item(1), item(2));
    queue.release();
    assertThat(queue.hasNext()).as("the end is left").isTrue();
    queue.next();
    assertThat(queue.joined()).isEqualTo(1);
    assertThat(queue.take(false)).containsExactly(item(10));
  }

  @Test
  void putWhenRoom_aboveTheLimit_waitsUntilTheItemsAreJoined() throws InterruptedException {
    queue.put(0, List.of(item(1)), MOST);
    assertThat(queue.hasRoomFor(1)).isFalse();
    Thread helper = start(() -> queue.putWhenRoom(1, List.of(item(2)), 1));
    awaitWaiting(helper);
    assertThat(queue.take(false)).containsExactly(item(1));
    assertThat(queue.hasRoomFor(1)).as("room while items are being joined").isFalse();
    queue.release();
    helper.join();
    assertThat(queue.mostWaitingBytes()).isEqualTo(MOST);
  }

  @Test
  void putWhenRoom_ofTheSliceThatIsJoinedNext_hasSomeRoomOfItsOwn() throws InterruptedException {
    queue.put(2, List.of(item(9)), MOST);
    queue.putWhenRoom(0, List.of(item(1)), SliceQueue.MIN_WAITING_BYTES);
    Thread helper = start(() -> queue.putWhenRoom(0, List.of(item(2)), 1));
    awaitWaiting(helper);
    assertThat(queue.take(false)).containsExactly(item(1));
    queue.release();
    helper.join();
    assertThat(queue.take(false)).containsExactly(item(2));
    assertThat(queue.mostWaitingBytes()).isEqualTo(MOST + SliceQueue.MIN_WAITING_BYTES);
  }

  @Test
  void putWhenRoom_onceNoMoreItemsAreWanted_returns() throws InterruptedException {
    queue.put(0, List.of(item(1)), MOST);
    Thread helper = start(() -> queue.putWhenRoom(1, List.of(item(2)), 1));
    awaitWaiting(helper);
    queue.stop();
    helper.join();
    assertThat(queue.claim(true)).isEqualTo(-1);
    assertThat(queue.addHelper()).isFalse();
  }

  @Test
  void next_afterASliceThatFailed_throwsItsFailureOnce() {
    queue.end(1, new IllegalStateException("of slice 1"));
    queue.end(0, null);
    queue.next();
    assertThatThrownBy(queue::next).hasMessage("of slice 1");
    assertThat(queue.joined()).isEqualTo(2);
  }

  @Test
  void addHelper_whileThereAreFewerSlicesThanHelpers_isRefused() {
    assertThat(queue.claim(false)).isZero();
    assertThat(queue.addHelper()).isTrue();
    assertThat(queue.addHelper()).isTrue();
    assertThat(queue.addHelper()).isFalse();
    queue.removeHelper();
    assertThat(queue.addHelper()).isTrue();
    assertThat(queue.claim(true)).isEqualTo(1);
    assertThat(queue.claimedByHelpers()).isEqualTo(1);
    queue.removeHelper();
    queue.removeHelper();
  }

  @Test
  void awaitHelpers_whileOneIsLeft_waitsAndKeepsAnInterrupt() throws InterruptedException {
    assertThat(queue.addHelper()).isTrue();
    boolean[] interrupted = new boolean[1];
    Thread waiting =
        start(
            () -> {
              queue.awaitHelpers();
              interrupted[0] = Thread.interrupted();
            });
    waiting.interrupt();
    while (!queue.isStopped() || waiting.getState() != Thread.State.TIMED_WAITING) {
      assertThat(waiting.isAlive()).as("the thread waits").isTrue();
      Thread.onSpinWait();
    }
    queue.removeHelper();
    waiting.join();
    assertThat(interrupted[0]).isTrue();
  }

  private static SliceItem item(long hlc) {
    return new SliceItem.Progress(0, hlc);
  }

  private Thread start(Runnable task) {
    Thread thread = new Thread(task, "slice-queue-test");
    helpers.add(thread);
    thread.start();
    return thread;
  }

  private static void awaitWaiting(Thread helper) {
    while (helper.getState() != Thread.State.WAITING) {
      assertThat(helper.isAlive()).as("the thread waits").isTrue();
      Thread.onSpinWait();
    }
  }
}
