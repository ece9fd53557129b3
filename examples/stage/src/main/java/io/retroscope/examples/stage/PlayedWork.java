// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Work that a thread plays in rounds, the last of which is completed. Thread-safe. */
public abstract class PlayedWork implements Work {
  private static final Duration POLL = Duration.ofMillis(50);

  private final Scene scene;
  private final Duration patience;

  // It is started when the subclass is complete.
  @SuppressWarnings("this-escape")
  private final Thread player = new Thread(this::playAll, "player");

  private volatile boolean isLastRound;
  private volatile @Nullable Throwable failure;

  /** Work that is not begun yet. */
  protected PlayedWork(Scene scene) {
    this(scene, Deadline.PATIENCE);
  }

  /**
   * Work that is not begun yet.
   *
   * @param patience how long the last round may take
   */
  protected PlayedWork(Scene scene, Duration patience) {
    this.scene = scene;
    this.patience = patience;
    player.setDaemon(true);
  }

  /** Begins to play in a thread. */
  protected final void begin() {
    player.start();
  }

  /**
   * Plays a round.
   *
   * @param round counts them from 0
   */
  protected abstract void play(int round) throws StageException, IOException, InterruptedException;

  /** Whether the work ends with this round. */
  protected final boolean isLastRound() {
    return isLastRound;
  }

  private void playAll() {
    try {
      for (int round = 0; round == 0 || !isLastRound; round++) {
        play(round);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Throwable e) {
      failure = e; // Errors as well: work that ended unnoticed would pass as complete.
    }
  }

  @Override
  public final void checkRunning() throws StageException {
    Throwable reason = failure;
    if (reason != null) {
      String message = reason.getMessage();
      throw new StageException(message == null ? reason.toString() : message, reason);
    }
  }

  @Override
  public final void finish() throws StageException, InterruptedException {
    isLastRound = true;
    Deadline deadline = Deadline.in(patience);
    while (player.isAlive()) {
      scene.checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException("the last round is not over: " + status());
      }
      Deadline.sleep(POLL);
    }
    checkRunning();
  }

  @Override
  public final void close() {
    player.interrupt();
  }
}
