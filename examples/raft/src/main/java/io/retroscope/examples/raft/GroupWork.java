// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.raft.GroupClient.Role;
import io.retroscope.examples.raft.Pause.Change;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.StageException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes, and pauses of the leader. */
final class GroupWork implements Work {
  private static final Duration WRITE_INTERVAL = Duration.ofMillis(50);
  private static final Duration CALM = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofSeconds(4);

  /** Between another's election and the end of the pause, at least. */
  private static final Duration OVERLAP = Duration.ofMillis(500);

  private static final Duration POLL = Duration.ofMillis(10);

  private final RaftScene scene;
  private final GroupClient client;
  private final boolean pausing;
  private final Thread writes = new Thread(this::writeValues, "writes");
  private final Thread pauses = new Thread(this::pauseLeaders, "pauses");
  private volatile long written;
  private volatile boolean finishing;
  private volatile boolean ended;
  private volatile @Nullable Throwable failure;

  private GroupWork(RaftScene scene, GroupClient client, boolean pausing) {
    this.scene = scene;
    this.client = client;
    this.pausing = pausing;
  }

  static GroupWork begin(RaftScene scene, GroupClient client, boolean pausing) {
    GroupWork work = new GroupWork(scene, client, pausing);
    work.writes.setDaemon(true);
    work.pauses.setDaemon(true);
    work.writes.start();
    work.pauses.start();
    return work;
  }

  private void writeValues() {
    try {
      for (long value = 1; !ended; value++) {
        Deadline next = Deadline.in(WRITE_INTERVAL);
        client.write(value);
        written = value;
        next.await();
      }
    } catch (InterruptedException e) {
      // Closed.
    } catch (Throwable e) {
      if (!ended) {
        failure = e;
      }
    }
  }

  private void pauseLeaders() {
    try {
      while (pausing && !finishing) {
        Deadline.sleep(CALM);
        if (!finishing) {
          pause(client.awaitOneLeader());
          client.awaitOneLeader();
        }
      }
    } catch (InterruptedException e) {
      // Closed.
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Stops the leader until another has led for a while, as Raft sets no limit to an election. */
  private void pause(String leader) throws StageException, InterruptedException {
    Deadline end = Deadline.in(PAUSE);
    List<String> others = Group.MEMBERS.stream().filter(node -> !node.equals(leader)).toList();
    long began = now();
    scene.server(leader).pause();
    Role taken = awaitElection(leader, others);
    Change elected =
        new Change(taken.sinceMicros(), scene.awaitNote(taken.member(), RoleNote.LEADER, began));
    Deadline.sleep(OVERLAP);
    end.await();
    long resuming = now();
    scene.server(leader).resume();
    Role given = client.awaitFollower(leader);
    Change followed =
        new Change(given.sinceMicros(), scene.awaitNote(leader, RoleNote.FOLLOWER, resuming));
    scene.paused(new Pause(leader, began, elected, resuming, followed));
  }

  private Role awaitElection(String leader, List<String> others)
      throws StageException, InterruptedException {
    Deadline patience = Deadline.in(Deadline.PATIENCE);
    List<Role> leading = client.leaders(others);
    while (leading.isEmpty()) {
      if (patience.hasPassed()) {
        throw new StageException(
            "no other server was elected within %d s while %s was stopped"
                .formatted(Deadline.PATIENCE.toSeconds(), leader));
      }
      Deadline.sleep(POLL);
      leading = client.leaders(others);
    }
    return leading.get(0);
  }

  private static long now() {
    return PhysicalClock.system().freshMicros();
  }

  @Override
  public String status() {
    return "%d values   %d pauses".formatted(written, scene.pauses().size());
  }

  @Override
  public void checkRunning() throws StageException {
    Throwable cause = failure;
    if (cause != null) {
      throw new StageException("a pause or a write failed: " + cause.getMessage(), cause);
    }
  }

  @Override
  public void finish() throws StageException, InterruptedException {
    finishing = true;
    pauses.join();
    ended = true;
    writes.join();
    checkRunning();
    client.awaitOneLeader();
    client.awaitEqual();
  }

  @Override
  public void close() {
    ended = true;
    writes.interrupt();
    pauses.interrupt();
  }
}
