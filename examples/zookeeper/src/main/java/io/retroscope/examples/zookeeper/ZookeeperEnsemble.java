// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.LoopbackRelay;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A real, unmodified three-server ZooKeeper ensemble on loopback ports, each server a process.
 *
 * <p>The processes end with {@link #close()} and with this virtual machine, even if that is killed.
 * Thread-safe.
 */
public final class ZookeeperEnsemble implements AutoCloseable {
  /** The time limit until all servers serve clients. */
  public static final Duration START_PATIENCE = Deadline.PATIENCE;

  /**
   * The maximum number of attempts with other ports, if one was taken between its choice and its
   * use.
   */
  private static final int MAX_ATTEMPTS = 3;

  private final List<EnsembleServer> servers;
  private final List<LoopbackRelay> relays;
  private final Thread hook = new Thread(this::killAll, "ensemble-kill");

  private ZookeeperEnsemble(List<EnsembleServer> servers, List<LoopbackRelay> relays) {
    this.servers = List.copyOf(servers);
    this.relays = List.copyOf(relays);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts the servers and waits until all of them serve clients.
   *
   * @throws StageException if one does not; no process is left running
   */
  public static ZookeeperEnsemble start(EnsembleOptions options)
      throws StageException, InterruptedException {
    Installation installation = Installation.locate();
    Random random = new Random();
    for (int attempt = 1; ; attempt++) {
      ZookeeperEnsemble ensemble = prepare(options, installation, random);
      try {
        ensemble.startAll();
        return ensemble;
      } catch (StageException | InterruptedException e) {
        boolean retry =
            attempt < MAX_ATTEMPTS
                && ensemble.servers.stream().anyMatch(EnsembleServer::foundPortTaken);
        ensemble.close();
        if (!retry) {
          throw e;
        }
      }
    }
  }

  private static ZookeeperEnsemble prepare(
      EnsembleOptions options, Installation installation, Random random) throws StageException {
    EnsembleLayout layout = EnsembleLayout.choose(options, random);
    List<EnsembleServer> servers = new ArrayList<>();
    for (String node : EnsembleOptions.NODES) {
      try {
        Path folder = layout.writeFolder(node);
        servers.add(
            new EnsembleServer(
                node, layout.clientPort(node), folder, layout.command(node, installation)));
      } catch (IOException e) {
        layout.relays().forEach(LoopbackRelay::close);
        throw new StageException(
            "cannot write the configuration of " + node + ": " + e.getMessage(), e);
      }
    }
    return new ZookeeperEnsemble(servers, layout.relays());
  }

  private void startAll() throws StageException, InterruptedException {
    for (EnsembleServer server : servers) {
      server.start();
    }
    Deadline deadline = Deadline.in(START_PATIENCE);
    for (EnsembleServer server : servers) {
      server.awaitServing(deadline.remaining());
    }
  }

  /** All servers, in the order of their ids. */
  public List<EnsembleServer> servers() {
    return servers;
  }

  /**
   * One server.
   *
   * @throws IllegalArgumentException if there is no server of this name
   */
  public EnsembleServer server(String node) {
    return servers.stream()
        .filter(server -> server.node().equals(node))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no such server: " + node));
  }

  /** The connect string of ordinary clients: all servers, comma separated. */
  public String connectString() {
    return servers.stream().map(EnsembleServer::address).collect(Collectors.joining(","));
  }

  /**
   * The connect string of clients that must not connect to one server.
   *
   * @throws IllegalArgumentException if there is no server of this name
   */
  public String connectStringWithout(String node) {
    EnsembleServer avoided = server(node);
    return servers.stream()
        .filter(server -> server != avoided)
        .map(EnsembleServer::address)
        .collect(Collectors.joining(","));
  }

  /**
   * Checks that no server has ended.
   *
   * @throws StageException if one has
   */
  public void checkRunning() throws StageException {
    for (EnsembleServer server : servers) {
      server.checkRunning();
    }
  }

  /** The current leader, if there is one. */
  public Optional<EnsembleServer> leader() {
    return servers.stream()
        .filter(server -> server.mode().filter("leader"::equals).isPresent())
        .findFirst();
  }

  /**
   * Delays messages between the slow server and the others, in each direction.
   *
   * @param millis 0 or more
   */
  public void slowLinkMillis(long millis) {
    relays.forEach(relay -> relay.delayMillis(millis));
  }

  /** Stops all servers and waits for their end. */
  @Override
  public void close() {
    servers.forEach(EnsembleServer::requestStop);
    servers.forEach(EnsembleServer::stop);
    relays.forEach(LoopbackRelay::close);
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The virtual machine is shutting down: the hook has run or will run, without effect.
    }
  }

  private void killAll() {
    servers.forEach(EnsembleServer::kill);
  }
}
