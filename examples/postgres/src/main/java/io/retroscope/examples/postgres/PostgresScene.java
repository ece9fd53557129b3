// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.postgres;

import io.retroscope.examples.postgres.PostgresCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.Deadline;
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
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * A primary and a standby, a shop that stores at the one, and a billing that reads at the other.
 */
final class PostgresScene implements Scene {
  static final String SHOP = "shop";
  static final String BILLING = "billing";

  /** How long after a node's end that of its server may be noticed. */
  private static final Duration SERVER_END = Duration.ofSeconds(1);

  private final Variant variant;
  private final NodeProcesses nodes;
  private final Replication replication;

  private PostgresScene(NodeProcesses nodes, Replication replication, Variant variant) {
    this.nodes = nodes;
    this.replication = replication;
    this.variant = variant;
  }

  static PostgresScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    PostgresScene scene =
        new PostgresScene(
            new NodeProcesses(folder, server),
            Replication.start(folder, variant.synchronous()),
            variant);
    try {
      scene.startNodes();
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private void startNodes() throws StageException, IOException, InterruptedException {
    String billingPort = Integer.toString(LoopbackPorts.take(1, new Random())[0]);
    startNode(
        BILLING,
        NodeProgram.of(
                variant.billingClass(), Integer.toString(replication.standby().port()), billingPort)
            .withSkewMicros(-variant.behindMicros()),
        BillingNode.READY_FILE);
    startNode(
        SHOP,
        NodeProgram.of(
            ShopNode.class.getName(), Integer.toString(replication.primary().port()), billingPort),
        ShopNode.READY_FILE);
  }

  private void startNode(String node, NodeProgram program, String readyFile)
      throws StageException, IOException, InterruptedException {
    nodes.start(node, program.withJvmArgs(replication.login().jvmArg()));
    awaitFile(node, readyFile);
  }

  private void awaitFile(String node, String file) throws StageException, InterruptedException {
    try {
      nodes.awaitFile(node, file);
    } catch (StageException e) {
      throw reason(e);
    }
  }

  /** A node ends with its server, and may be noticed before that: the server is the reason. */
  private StageException reason(StageException ofNodes) throws InterruptedException {
    Deadline deadline = Deadline.in(SERVER_END);
    while (!deadline.hasPassed()) {
      try {
        replication.checkRunning();
      } catch (StageException ofServers) {
        return ofServers;
      }
      Deadline.sleep(SERVER_END.dividedBy(20));
    }
    return ofNodes;
  }

  /** Lets the shop take orders. */
  void open() throws IOException {
    Files.createFile(nodes.file(SHOP, ShopNode.WORK_FILE));
  }

  /** Lets it take no more. */
  void shut() throws IOException {
    Files.deleteIfExists(nodes.file(SHOP, ShopNode.IDLE_FILE));
    Files.deleteIfExists(nodes.file(SHOP, ShopNode.WORK_FILE));
  }

  /** Waits until its last order is billed. */
  void awaitIdle() throws StageException, InterruptedException {
    awaitFile(SHOP, ShopNode.IDLE_FILE);
  }

  /** Whether there are enough readings, and, without synchronous replication, a stale one. */
  boolean hasReadings(int least) throws StageException {
    List<Reading> readings = readings();
    return readings.size() >= least
        && (variant.synchronous() || readings.stream().anyMatch(Reading::isStale));
  }

  private List<Reading> readings() throws StageException {
    try {
      return Reading.read(nodes.file(BILLING, BillingNode.READINGS_FILE));
    } catch (IOException e) {
      throw new StageException("cannot read the billing's notes: " + e.getMessage(), e);
    }
  }

  Replication replication() {
    return replication;
  }

  LoopbackRelay link() {
    return replication.link();
  }

  @Override
  public List<String> nodes() {
    return List.of(BILLING, SHOP);
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "%s".formatted(replication.version())
            + (PostgresPrograms.isRoot()
                ? ", as the user "
                    + PostgresPrograms.UNPRIVILEGED
                    + ", because it refuses to run as root"
                : ""),
        "            primary on port %d, standby on port %d, %s"
            .formatted(
                replication.primary().port(),
                replication.standby().port(),
                variant.synchronous() ? "synchronous (remote_apply)" : "asynchronous"),
        "            a relay between them delays in bursts",
        "shop        stores an order at the primary, and passes it to the billing",
        "billing     reads it at the standby");
  }

  @Override
  public Work begin() throws StageException {
    return PostgresWork.begin(this);
  }

  @Override
  public void checkRunning() throws StageException {
    replication.checkRunning();
    nodes.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    try {
      return new StandbyOracle(history, readings(), variant.synchronous())
          .checks(replication.number(), replication.replicatedNumber());
    } catch (SQLException e) {
      throw new StageException("cannot read the orders: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    nodes.close();
    replication.close();
  }
}
