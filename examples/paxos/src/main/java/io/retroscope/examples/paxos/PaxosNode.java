// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The process of a zone, with its client and its replicas. Each is a node with a thread and a
 * recorder of its own; they share the connections only.
 */
public final class PaxosNode {
  /** Created when all nodes of the zone run. */
  static final String READY_FILE = "ready";

  /** A zone that finds this file writes the states of its replicas into {@link #ANSWER_FILE}. */
  static final String ASK_FILE = "ask";

  static final String ANSWER_FILE = "answer";

  private static final int POLL_MILLIS = 50;

  private final Map<Lane, Replica> replicas = new HashMap<>();

  private record Node(Lane lane, Lane.Program program) {}

  private PaxosNode() {}

  /**
   * Runs a zone until its process is ended.
   *
   * @param args its name, the ports of all zones, and how many replicas must accept a value
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    run(args, Stamps::new);
  }

  /** Runs a zone with other stamps. */
  static void run(String[] args, Function<Recorder, Stamps> stamps)
      throws IOException, InterruptedException {
    String zone = args[0];
    List<Integer> ports = Arrays.stream(args[1].split(",", -1)).map(Integer::valueOf).toList();
    Wire wire = new Wire(ports.get(Layout.ZONES.indexOf(zone)), Layout.portsByNode(ports));
    new PaxosNode().run(zone, wire, stamps, Integer.parseInt(args[2]));
  }

  private void run(String zone, Wire wire, Function<Recorder, Stamps> stamps, int needed)
      throws IOException, InterruptedException {
    Map<String, Node> nodes = new HashMap<>();
    for (String name : Layout.nodes(zone)) {
      Recorder recorder = Recorder.builder().node(name).build();
      Lane lane = new Lane(recorder, stamps.apply(recorder), wire);
      if (name.equals(Layout.client(zone))) {
        nodes.put(name, new Node(lane, new Client(lane)));
      } else {
        Replica replica = new Replica(lane, needed);
        replicas.put(lane, replica);
        nodes.put(name, new Node(lane, replica));
      }
    }
    nodes.values().forEach(node -> node.lane.start(node.program));
    wire.serve((name, line) -> deliver(nodes.get(name), line));
    Files.createFile(Path.of(READY_FILE));
    while (true) {
      if (Files.exists(Path.of(ASK_FILE))) {
        answer();
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static void deliver(@Nullable Node node, String line) {
    if (node == null) {
      throw new IllegalArgumentException("for no node of this zone: " + line);
    }
    node.lane.received(node.program, line);
  }

  /** The states are read by the threads that change them. */
  private void answer() throws IOException {
    List<CompletableFuture<ReplicaState>> states = new ArrayList<>();
    replicas.forEach(
        (lane, replica) -> {
          CompletableFuture<ReplicaState> state = new CompletableFuture<>();
          lane.execute(() -> state.complete(replica.state()));
          states.add(state);
        });
    List<String> lines = new ArrayList<>();
    states.forEach(state -> lines.add(state.join().line()));
    Path part = Files.write(Path.of(ANSWER_FILE + ".part"), lines);
    Files.delete(Path.of(ASK_FILE));
    Files.move(part, Path.of(ANSWER_FILE), StandardCopyOption.ATOMIC_MOVE);
  }
}
