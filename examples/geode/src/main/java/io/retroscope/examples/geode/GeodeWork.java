// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;

/** Writers and a joiner, then, when these have ended, the client's messages. */
final class GeodeWork implements Work {
  private static final Duration POLL = Duration.ofMillis(100);

  private final GeodeScene scene;
  private volatile String status = "the servers work";

  private GeodeWork(GeodeScene scene) {
    this.scene = scene;
  }

  static GeodeWork begin(GeodeScene scene) throws StageException {
    try {
      scene.work(true);
    } catch (IOException e) {
      throw new StageException("cannot start the writers: " + e.getMessage(), e);
    }
    return new GeodeWork(scene);
  }

  @Override
  public String status() {
    return status;
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    try {
      awaitConflict();
      scene.work(false);
      awaitEqual();
      status = "the client sends";
      scene.send();
    } catch (IOException e) {
      throw new StageException("cannot exchange files with the nodes: " + e.getMessage(), e);
    }
  }

  /** A short run continues until the writers have met. */
  private void awaitConflict() throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (scene.hasTwoWriters()
        && scene.answers().values().stream().allMatch(answer -> answer.discardedCount() == 0)) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "no version was given twice within %d s".formatted(Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private void awaitEqual() throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    Collection<ServerAnswer> answers = scene.answers().values();
    while (answers.stream().map(ServerAnswer::content).distinct().count() > 1) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "the replicas do not become equal within %d s: %s"
                .formatted(Deadline.PATIENCE.toSeconds(), answers));
      }
      Deadline.sleep(POLL);
      answers = scene.answers().values();
    }
  }

  @Override
  public void close() {
    try {
      scene.work(false);
    } catch (IOException e) {
      // The nodes end with the run.
    }
  }
}
