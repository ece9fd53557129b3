package io.retroscope.examples.latency;

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
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;

/** Three nodes, each a process, and relays on all links of one of them. */
final class LatencyScene implements Scene {
  static final List<String> NODES = List.of("l1", "l2", "l3");
  static final String STOPPED = "l2";
  static final String SLOW = "l3";

  /** What is added to the nodes' clocks, to be found again; none is ahead of the machine's. */
  static final Map<String, Long> SKEW_MICROS = Map.of("l1", 0L, "l2", -20_000L, "l3", -35_000L);

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final List<String> QUICK_START =
      List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Path folder;
  private final URI server;
  private final boolean faults;
  private final Map<String, Integer> ports = new TreeMap<>();
  private final Map<String, ChildProcess> nodes = new TreeMap<>();
  private final List<LoopbackRelay> relays = new ArrayList<>();
  private final String token = UUID.randomUUID().toString();
  private final List<LinkFault> linkFaults = new ArrayList<>();

  /**
   * A fault that is over.
   *
   * @param isStop a stopped process, otherwise slow links
   * @param beganMicros the machine's clock before it began, in microseconds since 1970
   * @param endedMicros the clock immediately before it ended
   * @param calmMicros the clock after a pause without faults
   */
  record LinkFault(boolean isStop, long beganMicros, long endedMicros, long calmMicros) {
    boolean contains(long micros) {
      return beganMicros <= micros && micros <= calmMicros;
    }
  }

  private LatencyScene(Path folder, URI server, boolean faults) throws StageException {
    this.folder = folder;
    this.server = server;
    this.faults = faults;
    int[] free = LoopbackPorts.take(NODES.size(), new Random());
    for (int i = 0; i < NODES.size(); i++) {
      ports.put(NODES.get(i), free[i]);
    }
  }

  static LatencyScene start(Path folder, URI server, String nodeClass, boolean faults)
      throws StageException, IOException, InterruptedException {
    LatencyScene scene = new LatencyScene(folder, server, faults);
    try {
      for (String node : NODES) {
        scene.startNode(node, nodeClass);
      }
      for (String node : NODES) {
        scene.await(folder.resolve(node).resolve(LatencyNode.READY_FILE));
      }
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

  /** The port at which one node reaches another: that of a relay on all links of the slow one. */
  private int portFrom(String node, String other) {
    if (!node.equals(SLOW) && !other.equals(SLOW)) {
      return port(other);
    }
    LoopbackRelay relay = LoopbackRelay.to(port(other));
    relays.add(relay);
    return relay.port();
  }

  private void startNode(String node, String nodeClass) throws StageException, IOException {
    Path home = Files.createDirectories(folder.resolve(node));
    List<String> jvmArgs = new ArrayList<>(QUICK_START);
    jvmArgs.add("-Dretroscope.node=" + node);
    jvmArgs.add("-Dretroscope.server=" + server);
    jvmArgs.add("-Dretroscope.clock.skew.micros=" + SKEW_MICROS.get(node));
    List<String> args = new ArrayList<>(List.of(Integer.toString(port(node)), token));
    for (String other : NODES) {
      if (!other.equals(node)) {
        args.add(other + "=" + portFrom(node, other));
      }
    }
    ChildProcess process =
        new ChildProcess(
            "node " + node,
            home,
            "node.out",
            ChildProcess.command(
                jvmArgs, BuiltProject.ownClassPath(), nodeClass, args.toArray(String[]::new)));
    nodes.put(node, process);
    process.start();
  }

  private void await(Path file) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(PATIENCE);
    while (!Files.exists(file)) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "there is no file %s after %d s".formatted(file, PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  /** Delays each byte on all links of the slow node, in both directions. */
  void slowLinksMillis(long millis) {
    relays.forEach(relay -> relay.delayMillis(millis));
  }

  ChildProcess node(String node) {
    ChildProcess process = nodes.get(node);
    if (process == null) {
      throw new IllegalArgumentException("no such node: " + node);
    }
    return process;
  }

  synchronized void over(LinkFault fault) {
    linkFaults.add(fault);
  }

  synchronized List<LinkFault> linkFaults() {
    return List.copyOf(linkFaults);
  }

  @Override
  public List<String> nodes() {
    return NODES;
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "l1, l2, l3  %d rounds a second of %d bytes; clocks 0, -20 and -35 ms off"
            .formatted(LatencyNode.ROUNDS_PER_SECOND, LatencyNode.FRAME_BYTES),
        faults
            ? "            in turn all links of l3 are slow (833 ms), and l2 is stopped (3 s)"
            : "            without faults");
  }

  @Override
  public Work begin() {
    return LatencyWork.begin(this, faults);
  }

  @Override
  public void checkRunning() throws StageException {
    for (Map.Entry<String, ChildProcess> node : nodes.entrySet()) {
      if (!node.getValue().isRunning()) {
        throw new StageException(
            "node %s ended; its output is in %s"
                .formatted(node.getKey(), node.getValue().output()));
      }
    }
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    return new LatencyOracle(history, linkFaults()).checks();
  }

  /** Copies the tables and figures of all nodes. */
  @Override
  public void leave(Path outFolder) throws StageException, IOException, InterruptedException {
    for (String node : NODES) {
      Files.createFile(folder.resolve(node).resolve(LatencyNode.ASK_FILE));
    }
    for (String node : NODES) {
      Path home = folder.resolve(node);
      await(home.resolve(LatencyNode.WRITTEN_FILE));
      Files.delete(home.resolve(LatencyNode.WRITTEN_FILE));
      for (String type : List.of("txt", "svg")) {
        String file = "latency-" + node + "." + type;
        Files.copy(
            home.resolve(file), outFolder.resolve(file), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  @Override
  public void close() {
    nodes.values().forEach(ChildProcess::close);
    relays.forEach(LoopbackRelay::close);
  }
}
