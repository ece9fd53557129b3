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

  /** While an object of WPaxos has one user. */
  private static final int COMMANDS_OF_USER = 30;

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
    playConflicts(next(Protocol.EPAXOS, 0));
    playMoves(next(Protocol.WPAXOS, 0));
  }

  private Act next(Protocol protocol, int leader) {
    return new Act(
        scene.nextAct(), protocol, Layout.replica(leader), scene.variant().faults(), Act.NOBODY);
  }

  private void begin(Act act) throws IOException {
    status = "act %d, %s".formatted(act.number(), act.protocol());
    scene.direct(act);
  }

  private void play(Act act, int commands)
      throws StageException, IOException, InterruptedException {
    begin(act);
    scene.awaitDone(act, commands);
    end(act);
  }

  private void end(Act act) throws StageException, IOException, InterruptedException {
    scene.end(act, Layout.ZONES);
    scene.awaitSettled();
  }

  /** Commands conflict when they cross each other, which takes longer on a fast machine. */
  private void playConflicts(Act act) throws StageException, IOException, InterruptedException {
    begin(act);
    scene.awaitDone(act, COMMANDS_OF_SEVERAL);
    if (act.shares()) {
      scene.awaitConflict();
    }
    end(act);
  }

  /** The user of the shared object moves from zone to zone as soon as the object has followed. */
  private void playMoves(Act act) throws StageException, IOException, InterruptedException {
    begin(act);
    if (act.shares()) {
      for (String zone : WpaxosReplica.ZONES) {
        scene.use(act.usedIn(zone));
        scene.awaitDone(act, scene.doneCount(act) + COMMANDS_OF_USER);
        scene.awaitOwner(zone);
      }
    }
    scene.awaitDone(act, COMMANDS_OF_SEVERAL);
    end(act);
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
      scene.end(act, without(zone)); // Its backlog does not grow while it catches up.
    } finally {
      continued = PhysicalClock.system().freshMicros();
      process.resume();
    }
    end(act);
    scene.failed(new Failure(zone, began, continued, PhysicalClock.system().freshMicros()));
  }

  private static List<String> without(String zone) {
    return Layout.ZONES.stream().filter(other -> !other.equals(zone)).toList();
  }

  @Override
  public String status() {
    return status;
  }
}
