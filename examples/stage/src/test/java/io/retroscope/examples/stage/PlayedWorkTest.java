// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.examples.stage.CaseStudy.Scene;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

final class PlayedWorkTest {
  @Test
  void checkRunning_uncheckedFailure_throwsItsReason() {
    try (Rounds work =
        new Rounds(
            round -> {
              throw new IllegalStateException("the act has no number");
            })) {
      work.begin();
      assertThatThrownBy(work::awaitFailure)
          .isInstanceOf(StageException.class)
          .hasMessage("the act has no number");
      assertThatThrownBy(work::finish).hasMessage("the act has no number");
    }
  }

  @Test
  void checkRunning_error_throwsItsReason() {
    try (Rounds work =
        new Rounds(
            round -> {
              throw new NoClassDefFoundError("Act");
            })) {
      work.begin();
      assertThatThrownBy(work::awaitFailure)
          .isInstanceOf(StageException.class)
          .hasMessage("Act")
          .hasCauseInstanceOf(NoClassDefFoundError.class);
      assertThatThrownBy(work::finish).hasMessage("Act");
    }
  }

  @Test
  void finish_beforeTheFirstRound_isPlayedAllTheSame() throws Exception {
    CountDownLatch played = new CountDownLatch(1);
    try (Rounds work = new Rounds(round -> played.countDown())) {
      work.finish();
      work.begin();
      await(played);
      work.checkRunning();
    }
  }

  @Test
  void finish_inARound_waitsForItsEnd() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch ending = new CountDownLatch(1);
    CountDownLatch played = new CountDownLatch(1);
    try (Rounds work =
        new Rounds(
            round -> {
              entered.countDown();
              await(ending);
              played.countDown();
            })) {
      work.begin();
      await(entered);
      FutureTask<Long> finish =
          new FutureTask<>(
              () -> {
                work.finish();
                return played.getCount();
              });
      Thread finishing = new Thread(finish, "finishing");
      finishing.start();
      awaitSleeping(finishing);
      ending.countDown();
      assertThat(finish.get(1, TimeUnit.MINUTES)).isZero();
      work.checkRunning();
    }
  }

  private static void awaitSleeping(Thread thread) throws InterruptedException {
    Deadline deadline = Deadline.in(Duration.ofMinutes(1));
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      assertThat(thread.isAlive()).as("waits for the end of the round").isTrue();
      assertThat(deadline.hasPassed()).isFalse();
      Deadline.sleep(Duration.ofMillis(5));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Rounds extends PlayedWork {
    private final IntConsumer rounds;

    Rounds(IntConsumer rounds) {
      super(new EmptyScene());
      this.rounds = rounds;
    }

    @Override
    protected void play(int round) {
      rounds.accept(round);
    }

    @Override
    public String status() {
      return "";
    }

    void awaitFailure() throws StageException, InterruptedException {
      Deadline deadline = Deadline.in(Duration.ofMinutes(1));
      while (!deadline.hasPassed()) {
        checkRunning();
        Deadline.sleep(Duration.ofMillis(5));
      }
    }
  }

  private static final class EmptyScene implements Scene {
    @Override
    public List<String> nodes() {
      return List.of();
    }

    @Override
    public List<String> introduction() {
      return List.of();
    }

    @Override
    public CaseStudy.Work begin() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void checkRunning() {}

    @Override
    public List<Check> checks(History history) {
      return List.of();
    }

    @Override
    public void leave(Path outFolder) {}

    @Override
    public void close() {}
  }
}
