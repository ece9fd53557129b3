// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plays the protocols in turn, again and again; after each, all replicas have the same commands.
 */
final class PaxosWork implements Work {
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

  private static final Duration POLL = Duration.ofMillis(50);

  private final PaxosScene scene;
  private final Thread player = new Thread(this::play, "acts");
  private volatile String status = "";
  private volatile boolean lastRound;
  private volatile @Nullable Exception failure;
  private int actCount;
  private int failureCount;

  private PaxosWork(PaxosScene scene) {
    this.scene = scene;
  }

  static PaxosWork begin(PaxosScene scene) {
    PaxosWork work = new PaxosWork(scene);
    work.player.setDaemon(true);
    work.player.start();
    return work;
  }

  private void play() {
    try {
      for (int round = 0; round == 0 || !lastRound; round++) {
        play(next(Protocol.PAXOS, 0), COMMANDS);
        play(next(Protocol.PAXOS, 1), COMMANDS); // Another replica takes over.
        if (scene.variant().faults() && round % ROUNDS_PER_FAILURE == 0) {
          playFailure(next(Protocol.PIG, 0));
        } else {
          play(next(Protocol.PIG, 0), COMMANDS + COMMANDS_OF_FAILURE);
        }
        play(next(Protocol.EPAXOS, 0), COMMANDS_OF_SEVERAL);
        play(next(Protocol.WPAXOS, 0), COMMANDS_OF_SEVERAL);
      }
    } catch (StageException | IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Act next(Protocol protocol, int leader) {
    return new Act(++actCount, protocol, Layout.replica(leader), scene.variant().faults());
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
  private void playFailure(Act act) throws StageException, IOException, InterruptedException {
    begin(act);
    scene.awaitDone(act, COMMANDS);
    String zone = FAILING.get(failureCount++ % FAILING.size());
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
