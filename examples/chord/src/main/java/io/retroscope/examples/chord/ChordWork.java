// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.PlayedWork;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;

/** The visitors join and leave in turn. */
final class ChordWork extends PlayedWork {
  private static final Duration QUIET = Duration.ofMillis(500);

  private final ChordScene scene;

  private ChordWork(ChordScene scene) {
    super(scene);
    this.scene = scene;
  }

  static ChordWork begin(ChordScene scene, boolean changes) {
    ChordWork work = new ChordWork(scene);
    if (changes) {
      work.begin();
    }
    return work;
  }

  @Override
  protected void play(int round) throws StageException, IOException, InterruptedException {
    for (String visitor : ChordScene.VISITORS) {
      Deadline.sleep(QUIET);
      scene.join(visitor);
      Deadline.sleep(QUIET);
      scene.leave(visitor);
    }
  }

  @Override
  public String status() {
    return "%d joins and leaves".formatted(scene.changes().size());
  }
}
