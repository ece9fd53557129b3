// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.PlayedWork;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * Plays the protocols in turn, again and again; after each, all replicas have the same commands.
 */
final class PaxosWork extends PlayedWork {
  /** The commands of an act, of all clients together. */
  private static final int COMMANDS = 50;

  /** The commands of an act with several clients. */
  private static final int COMMANDS_OF_SEVERAL = 120;

  /** A zone fails in every such round of acts: failures last for most of the time. */
  private static final int ROUNDS_PER_FAILURE = 3;

  /** The commands while a zone is stopped: more than {@link PaxosCase#BEHIND_SLOTS}. */
  static final int COMMANDS_OF_FAILURE = 100;

  /** The zones that fail in turn; the leaders are in others. */
  private static final List<String> FAILING = List.of("z2", "z3");

  private final PaxosScene scene;
  private volatile String status = "";

  private PaxosWork(PaxosScene scene) {
    super(scene);
    this.scene = scene;
  }

  static PaxosWork begin(PaxosScene scene) {
    PaxosWork work = new PaxosWork(scene);
    work.begin();
    return work;
  }

  @Override
  protected void play(int round) throws StageException, IOException, InterruptedException {
    play(next(Protocol.PAXOS, 0), COMMANDS);
    play(next(Protocol.PAXOS, 1), COMMANDS); // Another replica takes over.
    if (scene.variant().faults() && round % ROUNDS_PER_FAILURE == 0) {
      playFailure(next(Protocol.PIG, 0), FAILING.get(round / ROUNDS_PER_FAILURE % FAILING.size()));
    } else {
      play(next(Protocol.PIG, 0), COMMANDS + COMMANDS_OF_FAILURE);
    }
    play(next(Protocol.EPAXOS, 0), COMMANDS_OF_SEVERAL);
    play(next(Protocol.WPAXOS, 0), COMMANDS_OF_SEVERAL);
  }

  private Act next(Protocol protocol, int leader) {
    return new Act(scene.nextAct(), protocol, Layout.replica(leader), scene.variant().faults());
  }

  private void begin(Act act) throws IOException {
    status = "act %d, %s".formatted(act.number(), act.protocol());
    scene.direct(act);
  }

  private void play(Act act, int commands)
      throws StageException, IOException, InterruptedException {
    begin(act);
    scene.awaitDone(act, commands);
    scene.end(act);
    scene.awaitSettled();
  }

  /** A zone is stopped, while commands continue. */
  private void playFailure(Act act, String zone)
      throws StageException, IOException, InterruptedException {
    begin(act);
    scene.awaitDone(act, COMMANDS);
    ChildProcess process = scene.process(zone);
    status = "act %d, %s without %s".formatted(act.number(), act.protocol(), zone);
    long began = PhysicalClock.system().freshMicros();
    process.pause();
    long continued;
    try {
      int before = scene.doneCount(act);
      Deadline.sleep(Duration.ofMillis(scene.variant().failMillis()));
      scene.awaitDone(act, before + COMMANDS_OF_FAILURE);
    } finally {
      continued = PhysicalClock.system().freshMicros();
      process.resume();
    }
    scene.end(act);
    scene.awaitSettled();
    scene.failed(new Failure(zone, began, continued, PhysicalClock.system().freshMicros()));
  }

  @Override
  public String status() {
    return status;
  }
}
