// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.ordering.OrderingScene.PlayedAct;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Plays the acts in turn, again and again; after each, all replicas have the same log. */
final class OrderingWork implements Work {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(50);

  private final OrderingScene scene;
  private final Thread player = new Thread(this::play, "acts");
  private volatile String status = "";
  private volatile boolean lastRound;
  private volatile @Nullable Exception failure;

  private OrderingWork(OrderingScene scene) {
    this.scene = scene;
  }

  static OrderingWork begin(OrderingScene scene) {
    OrderingWork work = new OrderingWork(scene);
    work.player.setDaemon(true);
    work.player.start();
    return work;
  }

  private void play() {
    try {
      int number = 0;
      while (!lastRound) {
        for (int percent : scene.percents()) {
          play(new Act(++number, percent));
        }
      }
    } catch (StageException | IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void play(Act act) throws StageException, IOException, InterruptedException {
    status = "act %d, %d %% pass the sequencer".formatted(act.number(), act.percent());
    long began = PhysicalClock.system().freshMicros();
    scene.direct(act);
    scene.awaitSettled(act);
    scene.played(new PlayedAct(act.percent(), began, PhysicalClock.system().freshMicros()));
  }

  @Override
  public String status() {
    return status;
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    lastRound = true;
    Deadline deadline = Deadline.in(PATIENCE);
    while (player.isAlive()) {
      scene.checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException("the last act is not over: " + status);
      }
      Deadline.sleep(POLL);
    }
    Exception reason = failure;
    if (reason != null) {
      throw new StageException(String.valueOf(reason.getMessage()), reason);
    }
  }

  @Override
  public void close() {
    player.interrupt();
  }
}
