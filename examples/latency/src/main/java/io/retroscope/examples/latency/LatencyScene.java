// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.examples.latency.LatencyCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.ChildProcess;
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
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

/** Three nodes, each a process, and relays on all links of one of them. */
final class LatencyScene implements Scene {
  static final List<String> NODES = List.of("l1", "l2", "l3");
  static final String STOPPED = "l2";
  static final String SLOW = "l3";

  /** The offsets of the nodes' clocks, to be found again; none is ahead of the machine's. */
  static final Map<String, Long> SKEW_MICROS = Map.of("l1", 0L, "l2", -20_000L, "l3", -35_000L);

  /** The zones, as a cloud would have them: the links of the slow node are the long ones. */
  static final Map<String, String> ZONES = Map.of("l1", "near", "l2", "near", "l3", "far");

  private final Variant variant;
  private final Map<String, Integer> ports = new TreeMap<>();
  private final NodeProcesses nodes;
  private final List<LoopbackRelay> relays = new ArrayList<>();
  private final String token = UUID.randomUUID().toString();
  private final List<LinkFault> linkFaults = new ArrayList<>();
  private final List<Shifts> shifts = new ArrayList<>();

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

  private LatencyScene(Path folder, URI server, Variant variant) throws StageException {
    this.nodes = new NodeProcesses(folder, server);
    this.variant = variant;
    int[] free = LoopbackPorts.take(NODES.size(), new Random());
    for (int i = 0; i < NODES.size(); i++) {
      ports.put(NODES.get(i), free[i]);
    }
  }

  static LatencyScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    LatencyScene scene = new LatencyScene(folder, server, variant);
    try {
      for (String node : NODES) {
        scene.startNode(node);
      }
      for (String node : NODES) {
        scene.nodes.awaitFile(node, LatencyNode.READY_FILE);
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

  private void startNode(String node) throws StageException, IOException {
    List<String> args = new ArrayList<>(List.of(Integer.toString(port(node)), token));
    for (String other : NODES) {
      if (!other.equals(node)) {
        args.add(other + "=" + portFrom(node, other));
      }
    }
    nodes.start(
        node,
        NodeProgram.of(variant.nodeClass(), args.toArray(String[]::new))
            .withSkewMicros(SKEW_MICROS.getOrDefault(node, 0L)));
  }

  /** Delays each byte on all links of the slow node, in both directions. */
  void slowLinksMillis(long millis) {
    relays.forEach(relay -> relay.delayMillis(millis));
  }

  ChildProcess node(String node) {
    return nodes.process(node);
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
        variant.faults()
            ? "            in turn all links of l3 are slow (833 ms), and l2 is stopped (3 s)"
            : "            without faults");
  }

  @Override
  public Work begin() {
    return LatencyWork.begin(this, variant.faults());
  }

  @Override
  public void checkRunning() throws StageException {
    nodes.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    List<Stall> stalls = new ArrayList<>();
    for (String node : NODES) {
      stalls.addAll(Stall.read(nodes.file(node, LatencyNode.STALLS_FILE)));
    }
    for (String node : NODES) {
      shifts.add(Shifts.of(node, history));
    }
    return new LatencyOracle(history, linkFaults(), stalls, variant.alignmentPatience())
        .checks(shifts);
  }

  /** Writes the shifts, and copies the tables and figures of all nodes. */
  @Override
  public void leave(Path outFolder) throws StageException, IOException, InterruptedException {
    Files.writeString(outFolder.resolve("latency-shifts.svg"), ShiftFigure.svg(shifts));
    Files.writeString(
        outFolder.resolve("latency-shifts.txt"),
        shifts.stream().map(Shifts::text).collect(Collectors.joining("\n")));
    for (String node : NODES) {
      Files.createFile(nodes.file(node, LatencyNode.ASK_FILE));
    }
    for (String node : NODES) {
      nodes.awaitFile(node, LatencyNode.WRITTEN_FILE);
      Files.delete(nodes.file(node, LatencyNode.WRITTEN_FILE));
      for (String file : LatencyReport.files(node)) {
        Path written = nodes.file(node, file);
        if (Files.exists(written)) {
          Files.copy(written, outFolder.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        } else {
          Files.deleteIfExists(outFolder.resolve(file)); // that of an earlier, longer run
        }
      }
    }
  }

  @Override
  public void close() {
    nodes.close();
    relays.forEach(LoopbackRelay::close);
  }
}
