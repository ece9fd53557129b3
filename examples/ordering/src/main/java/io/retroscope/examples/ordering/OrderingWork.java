// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.ordering.OrderingScene.PlayedAct;
import io.retroscope.examples.stage.PlayedWork;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;

/** Plays the acts in turn, again and again; after each, all replicas have the same log. */
final class OrderingWork extends PlayedWork {
  /** Of a round, which has several acts. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final OrderingScene scene;
  private volatile String status = "";

  private OrderingWork(OrderingScene scene) {
    super(scene, PATIENCE);
    this.scene = scene;
  }

  static OrderingWork begin(OrderingScene scene) {
    OrderingWork work = new OrderingWork(scene);
    work.begin();
    return work;
  }

  @Override
  protected void play(int round) throws StageException, IOException, InterruptedException {
    for (int percent : scene.percents()) {
      play(new Act(scene.nextAct(), percent));
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
}
