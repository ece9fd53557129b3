// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The visitors join and leave in turn. */
final class ChordWork implements Work {
  private static final Duration QUIET = Duration.ofMillis(500);
  private static final Duration POLL = Duration.ofMillis(50);

  private final ChordScene scene;
  private final Thread visits = new Thread(this::visit, "visits");
  private volatile boolean lastVisit;
  private volatile @Nullable Exception failure;

  private ChordWork(ChordScene scene) {
    this.scene = scene;
  }

  static ChordWork begin(ChordScene scene, boolean changes) {
    ChordWork work = new ChordWork(scene);
    work.visits.setDaemon(true);
    if (changes) {
      work.visits.start();
    }
    return work;
  }

  private void visit() {
    try {
      while (!lastVisit) {
        for (String visitor : ChordScene.VISITORS) {
          Deadline.sleep(QUIET);
          scene.join(visitor);
          Deadline.sleep(QUIET);
          scene.leave(visitor);
        }
      }
    } catch (StageException | IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public String status() {
    return "%d joins and leaves".formatted(scene.changes().size());
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    lastVisit = true;
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (visits.isAlive()) {
      scene.checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException("the last visit is not over after " + status());
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
    visits.interrupt();
  }
}
