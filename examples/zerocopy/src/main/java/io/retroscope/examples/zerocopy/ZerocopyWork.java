// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.PlayedWork;
import io.retroscope.examples.stage.StageException;
import io.retroscope.examples.zerocopy.Act.Mode;
import java.io.IOException;
import java.util.List;

/** Plays the acts in turn, again and again; after each, all nodes have the same bytes. */
final class ZerocopyWork extends PlayedWork {
  private static final int WRITES = 30;
  private static final int BYTES = 1 << 10;

  /** The sizes of writes in the first round; later ones are small, to spare the disk. */
  private static final List<Integer> SIZES = List.of(BYTES, 1 << 14, 1 << 18);

  private final ZerocopyScene scene;
  private volatile String status = "";

  private ZerocopyWork(ZerocopyScene scene) {
    super(scene);
    this.scene = scene;
  }

  static ZerocopyWork begin(ZerocopyScene scene) {
    ZerocopyWork work = new ZerocopyWork(scene);
    work.begin();
    return work;
  }

  /** What happens to the standby in an act. */
  private interface Fault {
    Fault NONE = act -> {};

    void inject(Act act) throws StageException, IOException, InterruptedException;
  }

  @Override
  protected void play(int round) throws StageException, IOException, InterruptedException {
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

  /** Plays an act with a fault during its writes, and one after them. */
  private void play(Mode mode, int bytes, Fault during, Fault after)
      throws StageException, IOException, InterruptedException {
    Act act = new Act(scene.nextAct(), mode, bytes);
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
}
