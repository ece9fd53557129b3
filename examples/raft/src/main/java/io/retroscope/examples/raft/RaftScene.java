// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.raft;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.raft.RaftCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.NodeProcesses;
import io.retroscope.examples.stage.NodeProgram;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Three servers of a Raft group, each a process, and their client. */
final class RaftScene implements Scene {
  private static final Duration POLL = Duration.ofMillis(10);

  private final Variant variant;
  private final String[] ports;
  private final GroupClient client;
  private final NodeProcesses servers;
  private final List<Pause> pauses = new ArrayList<>();
  private volatile long beganMicros;

  private RaftScene(Path folder, URI server, Variant variant) throws StageException {
    this.variant = variant;
    this.servers = new NodeProcesses(folder, server);
    this.ports =
        Arrays.stream(LoopbackPorts.take(Group.MEMBERS.size(), new Random()))
            .mapToObj(Integer::toString)
            .toArray(String[]::new);
    this.client = new GroupClient(ports);
  }

  static RaftScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    RaftScene scene = new RaftScene(folder, server, variant);
    try {
      for (String member : Group.MEMBERS) {
        scene.startServer(member);
      }
      for (String member : Group.MEMBERS) {
        scene.servers.awaitFile(member, RaftNode.READY_FILE);
      }
      scene.client.leadInTurn();
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private void startServer(String member) throws StageException, IOException {
    long behind = Group.MEMBERS.indexOf(member) * variant.behindMicros();
    servers.start(member, NodeProgram.of(variant.serverClass(), ports).withSkewMicros(-behind));
  }

  ChildProcess server(String member) {
    return servers.process(member);
  }

  /** Waits until a server notes after a time that it has recorded its role; returns the note. */
  RoleNote awaitNote(String member, String role, long afterMicros)
      throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (true) {
      Optional<RoleNote> found =
          notes(member).stream()
              .filter(note -> note.role().equals(role) && note.endedMicros() > afterMicros)
              .findFirst();
      if (found.isPresent()) {
        return found.get();
      }
      if (deadline.hasPassed()) {
        throw new StageException(
            "%s has not recorded the role %s within %d s"
                .formatted(member, role, Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private List<RoleNote> notes(String member) throws StageException {
    try {
      return RoleNote.read(servers.file(member, ""));
    } catch (IOException e) {
      throw new StageException("cannot read the notes of %s: %s".formatted(member, e), e);
    }
  }

  private List<RoleNote> notes() throws StageException {
    List<RoleNote> notes = new ArrayList<>();
    for (String member : Group.MEMBERS) {
      notes.addAll(notes(member));
    }
    return notes;
  }

  /** Adds a pause that is over. */
  synchronized void paused(Pause pause) {
    pauses.add(pause);
  }

  synchronized List<Pause> pauses() {
    return List.copyOf(pauses);
  }

  @Override
  public List<String> nodes() {
    return Group.MEMBERS;
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "n1, n2, n3  one group of Apache Ratis, on ports " + String.join(", ", ports),
        variant.pauses()
            ? "            now and then the leader is stopped for 4 s"
            : "            without pauses");
  }

  @Override
  public Work begin() {
    beganMicros = PhysicalClock.system().freshMicros();
    return GroupWork.begin(this, client, variant.pauses());
  }

  @Override
  public void checkRunning() throws StageException {
    servers.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    return new LeaderOracle(history, pauses(), notes(), beganMicros).checks();
  }

  @Override
  public void close() {
    client.close();
    servers.close();
  }
}
