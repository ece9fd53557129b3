// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.migration.Act.Script;
import io.retroscope.examples.simulate.migration.Policy.Kind;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plays the acts in turn, again and again; after each, no object is under way. */
final class MigrationWork implements Work {
  /** The accesses of a phase: about 15 to each object. */
  private static final int ACCESSES = 300;

  private static final int PHASES = 2;
  private static final int LOCAL_PERCENT = 80;

  /**
   * Each policy with users that move; a hurry; half of the objects used in a region, and a filter.
   */
  private static final List<Script> SCRIPTS =
      List.of(
          new Script(Kind.CONSECUTIVE, LOCAL_PERCENT, 0, false, false),
          new Script(Kind.MAJORITY, LOCAL_PERCENT, 0, false, false),
          new Script(Kind.AVERAGE, LOCAL_PERCENT, 0, false, false),
          new Script(Kind.GRAVITY, LOCAL_PERCENT, 0, false, false),
          new Script(Kind.CONSECUTIVE, LOCAL_PERCENT, 0, false, true),
          new Script(Kind.CONSECUTIVE, LOCAL_PERCENT, 0, true, false),
          new Script(Kind.CONSECUTIVE, LOCAL_PERCENT, 50, true, false));

  /** Users that stay, each at the region that has its objects at first. */
  private static final List<Script> WITHOUT_MOVES =
      List.of(new Script(Kind.CONSECUTIVE, 100, 0, false, false));

  private static final Duration POLL = Duration.ofMillis(50);

  private final MigrationScene scene;
  private final Thread player = new Thread(this::play, "acts");
  private volatile String status = "";
  private volatile boolean lastRound;
  private volatile @Nullable Exception failure;
  private int actCount;
  private int movesBefore;
  private long valueBefore;

  private MigrationWork(MigrationScene scene) {
    this.scene = scene;
  }

  static MigrationWork begin(MigrationScene scene) {
    MigrationWork work = new MigrationWork(scene);
    work.player.setDaemon(true);
    work.player.start();
    return work;
  }

  private void play() {
    try {
      for (int round = 0; round == 0 || !lastRound; round++) {
        for (Script script : scene.usersMove() ? SCRIPTS : WITHOUT_MOVES) {
          if (round == 0 || !lastRound) {
            play(script);
          }
        }
      }
    } catch (StageException | IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void play(Script script) throws StageException, IOException, InterruptedException {
    Act act = new Act(++actCount, 0, true, script);
    status = "act %d, %s".formatted(act.number(), script.title());
    long began = PhysicalClock.system().freshMicros();
    for (int phase = 0; phase < (scene.usersMove() ? PHASES : 1); phase++) {
      act = phase == 0 ? act : act.nextPhase();
      scene.direct(act);
      scene.awaitDone(act, ACCESSES);
    }
    List<RegionState> states = scene.end(act);
    int moves = states.stream().mapToInt(RegionState::given).sum();
    long value = states.stream().mapToLong(RegionState::value).sum();
    scene.played(
        new PlayedAct(
            act.number(),
            script,
            began,
            PhysicalClock.system().freshMicros(),
            moves - movesBefore,
            value - valueBefore));
    movesBefore = moves;
    valueBefore = value;
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
