// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.chord.ChordCase.Variant;
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
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The nodes of a ring, each a process. */
final class ChordScene implements Scene {
  static final List<String> MEMBERS = List.of("n1", "n2", "n3", "n4", "n5", "n6");
  static final List<String> VISITORS = List.of("n7", "n8");

  private static final Duration POLL = Duration.ofMillis(50);

  private final Variant variant;
  private final NodeProcesses nodes;
  private final Map<String, Integer> ports = new TreeMap<>();

  /* Guarded by `this`. */
  private final List<Change> changes = new ArrayList<>();

  private ChordScene(Path folder, URI server, Variant variant) throws StageException {
    this.variant = variant;
    this.nodes = new NodeProcesses(folder, server);
    List<String> all = Stream.concat(MEMBERS.stream(), VISITORS.stream()).toList();
    int[] free = LoopbackPorts.take(all.size(), new Random());
    for (int i = 0; i < free.length; i++) {
      ports.put(all.get(i), free[i]);
    }
  }

  static ChordScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    ChordScene scene = new ChordScene(folder, server, variant);
    try {
      for (String node : scene.nodes()) {
        scene.startNode(node);
        scene.nodes.awaitFile(node, ChordNode.READY_FILE);
      }
      List<String> ring = new ArrayList<>();
      for (String node : MEMBERS) {
        Files.createFile(scene.nodes.file(node, ChordNode.MEMBER_FILE));
        ring.add(node);
        scene.awaitWhole(ring);
      }
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private int port(String node) {
    return ports.getOrDefault(node, 0);
  }

  private void startNode(String node) throws StageException, IOException {
    String first = MEMBERS.get(0);
    String own = Integer.toString(port(node));
    NodeProgram program =
        node.equals(first)
            ? NodeProgram.of(variant.nodeClass(), own)
            : NodeProgram.of(variant.nodeClass(), own, new Peer(first, port(first)).toString());
    long index = List.copyOf(ports.keySet()).indexOf(node);
    nodes.start(
        node,
        program
            .withSkewMicros(-index * variant.behindMicros())
            .withJvmArgs("-Dretroscope.messages=off"));
  }

  /** Makes a visitor join. */
  void join(String visitor) throws StageException, IOException, InterruptedException {
    long began = PhysicalClock.system().freshMicros();
    Files.createFile(nodes.file(visitor, ChordNode.MEMBER_FILE));
    awaitWhole(Stream.concat(MEMBERS.stream(), Stream.of(visitor)).toList());
    changed(visitor, true, began);
  }

  /** Makes a visitor leave. */
  void leave(String visitor) throws StageException, IOException, InterruptedException {
    long began = PhysicalClock.system().freshMicros();
    Files.delete(nodes.file(visitor, ChordNode.MEMBER_FILE));
    awaitWhole(MEMBERS);
    awaitAlone(visitor);
    changed(visitor, false, began);
  }

  private synchronized void changed(String visitor, boolean joins, long began) {
    changes.add(new Change(visitor, joins, began, PhysicalClock.system().freshMicros()));
  }

  synchronized List<Change> changes() {
    return List.copyOf(changes);
  }

  /** Waits until the nodes' own answers form the ring that follows from their places. */
  private void awaitWhole(List<String> expected)
      throws StageException, IOException, InterruptedException {
    List<String> ring = expected.stream().sorted(Comparator.comparingLong(Peer::place)).toList();
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    Map<String, String> answers = answers(expected);
    while (!isRing(ring, answers)) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "the ring of %s is not whole after %d s: %s"
                .formatted(ring, Deadline.PATIENCE.toSeconds(), answers));
      }
      Deadline.sleep(POLL);
      answers = answers(expected);
    }
  }

  /** Waits until a node that leaves says that it has: its successor knows it before. */
  private void awaitAlone(String visitor) throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!answers(List.of(visitor)).equals(Map.of(visitor, "- " + visitor))) {
      if (deadline.hasPassed()) {
        throw new StageException(
            "%s has not left the ring after %d s"
                .formatted(visitor, Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private static boolean isRing(List<String> ring, Map<String, String> answers) {
    int size = ring.size();
    for (int i = 0; i < size; i++) {
      String neighbours = ring.get((i + size - 1) % size) + " " + ring.get((i + 1) % size);
      if (!neighbours.equals(answers.get(ring.get(i)))) {
        return false;
      }
    }
    return true;
  }

  /** The neighbours of each node, as it names them itself. */
  private Map<String, String> answers(List<String> asked)
      throws StageException, IOException, InterruptedException {
    for (String node : asked) {
      Files.deleteIfExists(nodes.file(node, ChordNode.ANSWER_FILE));
      Files.createFile(nodes.file(node, ChordNode.ASK_FILE));
    }
    Map<String, String> answers = new TreeMap<>();
    for (String node : asked) {
      nodes.awaitFile(node, ChordNode.ANSWER_FILE);
      answers.put(node, Files.readString(nodes.file(node, ChordNode.ANSWER_FILE)));
    }
    return answers;
  }

  @Override
  public List<String> nodes() {
    return Stream.concat(MEMBERS.stream(), VISITORS.stream()).toList();
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "n1 to n6    a Chord ring",
        variant.changes() ? "n7, n8      join it and leave it in turn" : "            no changes");
  }

  @Override
  public Work begin() {
    return ChordWork.begin(this, variant.changes());
  }

  @Override
  public void checkRunning() throws StageException {
    nodes.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    return new RingOracle(history, changes(), MEMBERS).checks();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
