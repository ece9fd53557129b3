package io.retroscope.examples.infinispan;

import io.retroscope.examples.infinispan.InfinispanCase.Variant;
import io.retroscope.examples.stage.BuiltProject;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.LoopbackRelay;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Three nodes with replicas, a visitor, and the relay in front of the slow node. */
final class CacheScene implements Scene {
  static final List<String> REPLICAS = List.of("i1", "i2", "i3");
  static final String WRITER = "i1";
  static final String SLOW = "i3";

  private static final String VISITOR = "i4";
  private static final String LIBRARIES = "examples/infinispan/target/infinispan-lib";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final List<String> QUICK_START =
      List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Path folder;
  private final URI server;
  private final Variant variant;
  private final Path libraries;
  private final Map<String, Integer> ports = new TreeMap<>();
  private final Map<String, ChildProcess> nodes = new TreeMap<>();
  private final List<Gust> gusts = new ArrayList<>();
  private final LoopbackRelay relay;
  private int visits;

  private CacheScene(Path folder, URI server, Variant variant) throws StageException {
    this.folder = folder;
    this.server = server;
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
      scene.startNode(SLOW, variant.mode(), SLOW);
      scene.await(SLOW, StockNode.READY_FILE);
      scene.startNode(WRITER, variant.mode(), WRITER);
      scene.await(WRITER, StockNode.READY_FILE);
      scene.startNode("i2", variant.mode(), "i2");
      scene.await("i2", StockNode.READY_FILE);
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

  private void startNode(String node, String mode, String folderName)
      throws StageException, IOException {
    Path home = Files.createDirectories(folder.resolve(folderName));
    List<String> jvmArgs = new ArrayList<>(QUICK_START);
    jvmArgs.add("-Dretroscope.node=" + node);
    jvmArgs.add("-Dretroscope.server=" + server);
    jvmArgs.add("-Dnode.port=" + port(node));
    jvmArgs.add("-Dnode.external.port=" + (node.equals(SLOW) ? relay.port() : port(node)));
    jvmArgs.add("-Dnode.hosts=127.0.0.1[" + relay.port() + "]");
    jvmArgs.add("-Djava.net.preferIPv4Stack=true");
    if (!node.equals(WRITER)) {
      jvmArgs.add("-Dretroscope.clock.skew.micros=" + variant.skewMicros());
    }
    ChildProcess process =
        new ChildProcess(
            "node " + node,
            home,
            "node.out",
            ChildProcess.command(
                jvmArgs,
                BuiltProject.ownClassPath(libraries.resolve("*")),
                variant.nodeClass(),
                mode));
    nodes.put(node, process);
    process.start();
  }

  private void await(String folderName, String file) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(PATIENCE);
    while (!Files.exists(folder.resolve(folderName).resolve(file))) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "node %s has no file \"%s\" after %d s"
                .formatted(folderName, file, PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  /** A node joins the cluster and leaves it. */
  void visit() throws StageException, IOException, InterruptedException {
    String home = VISITOR + "-" + ++visits;
    startNode(VISITOR, "visitor", home);
    await(home, StockNode.READY_FILE);
    Files.createFile(folder.resolve(home).resolve(StockNode.LEAVE_FILE));
    ChildProcess visitor = nodes.get(VISITOR);
    if (visitor == null || !visitor.awaitEnd(PATIENCE)) {
      throw new StageException("the visitor does not leave the cluster");
    }
    nodes.remove(VISITOR);
  }

  /** The number of visits that are over. */
  int visitCount() {
    return visits;
  }

  /** Makes the writer write, or not. */
  void write(boolean on) throws IOException {
    Path file = folder.resolve(WRITER).resolve(StockNode.WRITE_FILE);
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
      Path home = folder.resolve(node);
      Files.deleteIfExists(home.resolve(StockNode.ANSWER_FILE));
      Files.createFile(home.resolve(StockNode.ASK_FILE));
      await(node, StockNode.ANSWER_FILE);
      contents.put(node, Files.readString(home.resolve(StockNode.ANSWER_FILE)));
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
        "            all links of i3 go through a relay that is slow now and then",
        "            a visitor, i4, joins the cluster and leaves it");
  }

  @Override
  public Work begin() throws StageException {
    return CacheWork.begin(this, variant.random());
  }

  @Override
  public void checkRunning() throws StageException {
    for (String node : REPLICAS) {
      ChildProcess process = nodes.get(node);
      if (process != null && !process.isRunning()) {
        throw new StageException(
            "node %s ended; its output is in %s".formatted(node, process.output()));
      }
    }
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    try {
      return new ReplicaOracle(history, gusts(), Math.abs(variant.skewMicros()))
          .checks(contents(), visits);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while asking the nodes for their values", e);
    }
  }

  @Override
  public void close() {
    nodes.values().forEach(ChildProcess::close);
    relay.close();
  }
}
