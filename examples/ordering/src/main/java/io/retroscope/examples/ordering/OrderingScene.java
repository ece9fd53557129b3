// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.ordering;

import io.retroscope.examples.ordering.OrderingCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.NodeProcesses;
import io.retroscope.examples.stage.NodeProgram;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Five replicas and two clients, each a process, in one JGroups cluster. */
final class OrderingScene implements Scene {
  static final List<String> REPLICAS = List.of("r1", "r2", "r3", "r4", "r5");
  static final List<String> CLIENTS = List.of("c1", "c2");

  /** An act takes two seconds; a machine that is much too busy fails no run. */
  private static final Duration ACT_PATIENCE = Duration.ofMinutes(3);

  private static final Duration POLL = Duration.ofMillis(50);

  private final Variant variant;
  private final NodeProcesses nodes;
  private final int[] ports;

  /* Guarded by `this`. */
  private final List<PlayedAct> acts = new ArrayList<>();
  private int actCount;

  /**
   * An act that is over.
   *
   * @param beganMicros since 1970
   */
  record PlayedAct(int percent, long beganMicros, long endedMicros) {
    double seconds() {
      return (endedMicros - beganMicros) / 1e6;
    }
  }

  private OrderingScene(Path folder, URI server, Variant variant) throws StageException {
    this.variant = variant;
    this.nodes = new NodeProcesses(folder, server);
    this.ports = LoopbackPorts.take(REPLICAS.size() + CLIENTS.size(), new Random());
  }

  /** Starts the nodes one after the other; the first replica is the sequencer. */
  static OrderingScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    OrderingScene scene = new OrderingScene(folder, server, variant);
    try {
      List<String> all = Stream.concat(REPLICAS.stream(), CLIENTS.stream()).toList();
      for (int i = 0; i < all.size(); i++) {
        scene.startNode(all.get(i), i);
        scene.nodes.awaitFile(all.get(i), ReplicaNode.JOINED_FILE);
      }
      for (String node : all) {
        scene.nodes.awaitFile(node, ReplicaNode.READY_FILE);
      }
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private void startNode(String node, int index) throws StageException, IOException {
    NodeProgram program =
        REPLICAS.contains(node)
            ? NodeProgram.of(
                    ReplicaNode.class.getName(),
                    Integer.toString(index),
                    Integer.toString(REPLICAS.size()),
                    Integer.toString(ports.length),
                    variant.stack())
                .withSkewMicros(-variant.behindMicros())
            : NodeProgram.of(
                ClientNode.class.getName(),
                Integer.toString(variant.needed()),
                Long.toString(variant.seed() + index),
                Integer.toString(ports.length),
                variant.stack());
    nodes.start(
        node,
        program.withJvmArgs(
            "-Dnode.port=" + ports[index],
            "-Dnode.hosts=127.0.0.1[" + ports[0] + "]",
            "-Dnode.join.millis=" + (index == 0 ? 100 : 30_000),
            "-Dretroscope.messages=off",
            "-Djava.net.preferIPv4Stack=true"));
  }

  /** The number of an act that no act had before, not even one of other work. */
  synchronized int nextAct() {
    return ++actCount;
  }

  /** Begins an act. */
  void direct(Act act) throws IOException {
    for (String client : CLIENTS) {
      act.write(nodes.file(client, Act.FILE));
    }
  }

  /** Waits until all requests of an act are done, and all replicas have committed the same log. */
  void awaitSettled(Act act) throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(ACT_PATIENCE);
    while (!areDone(act) || !areSettled(states())) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "act %d is not over after %d s: %s"
                .formatted(
                    act.number(),
                    ACT_PATIENCE.toSeconds(),
                    areDone(act) ? "the logs differ" : "not all requests are done"));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean areDone(Act act) {
    return CLIENTS.stream().allMatch(client -> Files.exists(nodes.file(client, act.doneFile())));
  }

  private static boolean areSettled(List<ReplicaState> states) {
    return states.stream().allMatch(state -> state.committed() == state.log().size())
        && new HashSet<>(states.stream().map(ReplicaState::log).toList()).size() == 1;
  }

  private List<ReplicaState> states() throws StageException, IOException, InterruptedException {
    for (String replica : REPLICAS) {
      Files.deleteIfExists(nodes.file(replica, ReplicaNode.ANSWER_FILE));
      Files.createFile(nodes.file(replica, ReplicaNode.ASK_FILE));
    }
    List<ReplicaState> states = new ArrayList<>();
    for (String replica : REPLICAS) {
      nodes.awaitFile(replica, ReplicaNode.ANSWER_FILE);
      awaitGone(nodes.file(replica, ReplicaNode.ASK_FILE));
      states.add(ReplicaState.read(nodes.file(replica, ReplicaNode.ANSWER_FILE)));
    }
    return states;
  }

  private void awaitGone(Path file) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (Files.exists(file)) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "%s is still there after %d s"
                .formatted(file.getFileName(), Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL.dividedBy(10));
    }
  }

  /** Adds an act that is over. */
  synchronized void played(PlayedAct act) {
    acts.add(act);
  }

  synchronized List<PlayedAct> acts() {
    return List.copyOf(acts);
  }

  List<Integer> percents() {
    return variant.percents();
  }

  @Override
  public List<String> nodes() {
    return Stream.concat(CLIENTS.stream(), REPLICAS.stream()).toList();
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "r1 to r5    replicas of Speculative Paxos on JGroups; r1 is the sequencer",
        "c1, c2      clients; in turn %s %% of their multicasts pass the sequencer"
            .formatted(variant.percents()));
  }

  @Override
  public Work begin() {
    return OrderingWork.begin(this);
  }

  @Override
  public void checkRunning() throws StageException {
    nodes.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    try {
      return new OrderingOracle(history, states(), notes(), acts()).checks();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while asking the replicas for their logs", e);
    }
  }

  private List<ClientNote> notes() throws IOException {
    List<ClientNote> notes = new ArrayList<>();
    for (String client : CLIENTS) {
      for (String line : Files.readAllLines(nodes.file(client, ClientNode.NOTES_FILE))) {
        notes.add(ClientNote.parse(line));
      }
    }
    return notes;
  }

  @Override
  public void leave(Path outFolder) throws IOException {
    Files.writeString(outFolder.resolve("ordering.txt"), new Pace(notes(), acts()).table());
  }

  @Override
  public void close() {
    nodes.close();
  }
}
