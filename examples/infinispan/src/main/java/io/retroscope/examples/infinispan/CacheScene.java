// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import io.retroscope.examples.infinispan.InfinispanCase.Variant;
import io.retroscope.examples.stage.BuiltProject;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.LoopbackRelay;
import io.retroscope.examples.stage.NodeProcesses;
import io.retroscope.examples.stage.NodeProgram;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Three nodes with replicas, a visitor, and the relay in front of the slow node. */
final class CacheScene implements Scene {
  static final List<String> REPLICAS = List.of("i1", "i2", "i3");
  static final String WRITER = "i1";
  static final String SLOW = "i3";

  private static final String VISITOR = "i4";
  private static final long JOIN_MILLIS = 30_000;

  /** The first node waits in vain for the answer of another. */
  private static final long FIRST_JOIN_MILLIS = 100;

  private static final String LIBRARIES = "examples/infinispan/target/infinispan-lib";

  private final Variant variant;
  private final Path libraries;
  private final Map<String, Integer> ports = new TreeMap<>();
  private final NodeProcesses nodes;
  private final List<Gust> gusts = new ArrayList<>();
  private final LoopbackRelay relay;
  private final AtomicInteger visits = new AtomicInteger();

  private CacheScene(Path folder, URI server, Variant variant) throws StageException {
    this.nodes = new NodeProcesses(folder, server);
    this.variant = variant;
    this.libraries = BuiltProject.locate(LIBRARIES).file(LIBRARIES);
    int[] free = LoopbackPorts.take(REPLICAS.size() + 1, new Random());
    for (int i = 0; i < REPLICAS.size(); i++) {
      ports.put(REPLICAS.get(i), free[i]);
    }
    ports.put(VISITOR, free[REPLICAS.size()]);
    this.relay = LoopbackRelay.to(port(SLOW));
  }

  /**
   * Starts the slow node first, and the others one after the other: then each connects to it, and
   * the relay is in front of all its links. Of nodes that join at once, the slow node may connect
   * to one by itself, without the relay.
   */
  static CacheScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    CacheScene scene = new CacheScene(folder, server, variant);
    try {
      scene.startNode(SLOW, variant.mode());
      scene.nodes.awaitFile(SLOW, StockNode.READY_FILE);
      scene.startNode(WRITER, variant.mode());
      scene.nodes.awaitFile(WRITER, StockNode.READY_FILE);
      scene.startNode("i2", variant.mode());
      scene.nodes.awaitFile("i2", StockNode.READY_FILE);
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private int port(String node) {
    Integer port = ports.get(node);
    if (port == null) {
      throw new IllegalArgumentException("no such node: " + node);
    }
    return port;
  }

  private void startNode(String node, String mode) throws StageException, IOException {
    nodes.start(
        node,
        NodeProgram.of(variant.nodeClass(), mode)
            .withLibraries(libraries.resolve("*"))
            .withSkewMicros(node.equals(WRITER) ? 0 : variant.skewMicros())
            .withJvmArgs(
                "-Dnode.port=" + port(node),
                "-Dnode.external.port=" + (node.equals(SLOW) ? relay.port() : port(node)),
                "-Dnode.hosts=127.0.0.1[" + relay.port() + "]",
                "-Dnode.join.millis=" + (node.equals(SLOW) ? FIRST_JOIN_MILLIS : JOIN_MILLIS),
                "-Djava.net.preferIPv4Stack=true"));
  }

  /** A node joins the cluster and leaves it. */
  void visit() throws StageException, IOException, InterruptedException {
    startNode(VISITOR, "visitor");
    nodes.awaitFile(VISITOR, StockNode.READY_FILE);
    nodes.expectEnd(VISITOR);
    Files.createFile(nodes.file(VISITOR, StockNode.LEAVE_FILE));
    nodes.awaitEnd(VISITOR);
    Files.delete(nodes.file(VISITOR, StockNode.READY_FILE));
    Files.delete(nodes.file(VISITOR, StockNode.LEAVE_FILE));
    visits.incrementAndGet();
  }

  /** The number of visits that are over. */
  int visitCount() {
    return visits.get();
  }

  /** Makes the writer write, or not. */
  void write(boolean on) throws IOException {
    Path file = nodes.file(WRITER, StockNode.WRITE_FILE);
    if (on) {
      Files.createFile(file);
    } else {
      Files.deleteIfExists(file);
    }
  }

  LoopbackRelay relay() {
    return relay;
  }

  /** Adds a gust that is over. */
  synchronized void blew(Gust gust) {
    gusts.add(gust);
  }

  synchronized List<Gust> gusts() {
    return List.copyOf(gusts);
  }

  /** The content of each replica, as the nodes themselves read it. */
  Map<String, String> contents() throws StageException, IOException, InterruptedException {
    Map<String, String> contents = new TreeMap<>();
    for (String node : REPLICAS) {
      Path answer = nodes.file(node, StockNode.ANSWER_FILE);
      Files.deleteIfExists(answer);
      Files.createFile(nodes.file(node, StockNode.ASK_FILE));
      nodes.awaitFile(node, StockNode.ANSWER_FILE);
      contents.put(node, Files.readString(answer));
    }
    return contents;
  }

  @Override
  public List<String> nodes() {
    return REPLICAS;
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "i1, i2, i3  Infinispan, one cache, " + variant.mode() + "; i1 writes",
        "            all links of i3 go through a relay that is "
            + (variant.faults() ? "slow now and then" : "never slow"),
        "            a visitor, i4, joins the cluster and leaves it");
  }

  @Override
  public Work begin() throws StageException {
    return CacheWork.begin(this, variant.faults(), variant.random());
  }

  @Override
  public void checkRunning() throws StageException {
    nodes.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    try {
      return new ReplicaOracle(history, gusts(), Math.abs(variant.skewMicros()))
          .checks(contents(), visits.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while asking the nodes for their values", e);
    }
  }

  @Override
  public void close() {
    nodes.close();
    relay.close();
  }
}
