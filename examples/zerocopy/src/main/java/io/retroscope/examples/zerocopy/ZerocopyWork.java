// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import io.retroscope.examples.zerocopy.Act.Mode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plays the acts in turn, again and again; after each, all nodes have the same bytes. */
final class ZerocopyWork implements Work {
  private static final int WRITES = 30;
  private static final int BYTES = 1 << 10;

  /** The sizes of writes in the first round; later ones are small, to spare the disk. */
  private static final List<Integer> SIZES = List.of(BYTES, 1 << 14, 1 << 18);

  private static final Duration POLL = Duration.ofMillis(50);

  private final ZerocopyScene scene;
  private final Thread player = new Thread(this::play, "acts");
  private volatile String status = "";
  private volatile boolean lastRound;
  private volatile @Nullable Exception failure;
  private int actCount;

  private ZerocopyWork(ZerocopyScene scene) {
    this.scene = scene;
  }

  static ZerocopyWork begin(ZerocopyScene scene) {
    ZerocopyWork work = new ZerocopyWork(scene);
    work.player.setDaemon(true);
    work.player.start();
    return work;
  }

  /** What happens to the standby in an act. */
  private interface Fault {
    Fault NONE = act -> {};

    void inject(Act act) throws StageException, IOException, InterruptedException;
  }

  private void play() {
    try {
      for (int round = 0; round == 0 || !lastRound; round++) {
        for (int bytes : round == 0 ? SIZES : List.of(BYTES)) {
          play(Mode.SAFE, bytes, Fault.NONE, Fault.NONE);
        }
        if (scene.hasFaults()) {
          play(Mode.SAFE, BYTES, this::stopStandby, Fault.NONE);
          play(Mode.EARLY, BYTES, Fault.NONE, Fault.NONE);
          play(Mode.LAZY, BYTES, Fault.NONE, act -> scene.crashStandby());
          play(Mode.GAP, BYTES, Fault.NONE, Fault.NONE);
        }
      }
    } catch (StageException | IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Plays an act with a fault during its writes, and one after them. */
  private void play(Mode mode, int bytes, Fault during, Fault after)
      throws StageException, IOException, InterruptedException {
    Act act = new Act(++actCount, mode, bytes);
    status = "act %d, %s, writes of %,d bytes".formatted(act.number(), mode, bytes);
    long began = PhysicalClock.system().freshMicros();
    scene.direct(act);
    during.inject(act);
    scene.awaitDone(act, WRITES);
    scene.end(act);
    after.inject(act);
    scene.awaitSettled();
    scene.played(new PlayedAct(act, began, PhysicalClock.system().freshMicros()));
  }

  /** Until the auxiliary has stepped in, and half of the writes are acknowledged with it. */
  private void stopStandby(Act act) throws StageException, IOException, InterruptedException {
    int parts = scene.parts().size();
    scene.awaitDone(act, WRITES / 3);
    scene.standby().pause();
    try {
      scene.awaitPart(parts);
      scene.awaitDone(act, WRITES);
    } finally {
      scene.standby().resume();
    }
  }

  @Override
  public String status() {
    return status;
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    lastRound = true;
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
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
