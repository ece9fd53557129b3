// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.migration.Act.Script;
import io.retroscope.examples.simulate.migration.Policy.Kind;
import io.retroscope.examples.stage.PlayedWork;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.util.List;

/** Plays the acts in turn, again and again; after each, no object is under way. */
final class MigrationWork extends PlayedWork {
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

  private final MigrationScene scene;
  private volatile String status = "";

  private MigrationWork(MigrationScene scene) {
    super(scene);
    this.scene = scene;
  }

  static MigrationWork begin(MigrationScene scene) {
    MigrationWork work = new MigrationWork(scene);
    work.begin();
    return work;
  }

  @Override
  protected void play(int round) throws StageException, IOException, InterruptedException {
    for (Script script : scene.usersMove() ? SCRIPTS : WITHOUT_MOVES) {
      if (round == 0 || !isLastRound()) {
        play(script);
      }
    }
  }

  private void play(Script script) throws StageException, IOException, InterruptedException {
    Act act = new Act(scene.nextAct(), 0, true, script);
    status = "act %d, %s".formatted(act.number(), script.title());
    List<RegionState> before = scene.states();
    long began = PhysicalClock.system().freshMicros();
    for (int phase = 0; phase < (scene.usersMove() ? PHASES : 1); phase++) {
      act = phase == 0 ? act : act.nextPhase();
      scene.direct(act);
      scene.awaitDone(act, ACCESSES);
    }
    List<RegionState> after = scene.end(act);
    scene.played(
        new PlayedAct(
            act.number(),
            script,
            began,
            PhysicalClock.system().freshMicros(),
            moves(after) - moves(before),
            counted(after) - counted(before)));
  }

  private static int moves(List<RegionState> states) {
    return states.stream().mapToInt(RegionState::given).sum();
  }

  private static long counted(List<RegionState> states) {
    return states.stream().mapToLong(RegionState::value).sum();
  }

  @Override
  public String status() {
    return status;
  }
}
