// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The traced nodes of a case study, each a process with a folder of its own, in which it works and
 * exchanges files with the case. They end with this virtual machine. Thread-safe.
 */
public final class NodeProcesses implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(20);

  private final Path folder;
  private final URI server;

  /* Guarded by `this`. */
  private final Map<String, ChildProcess> processes = new TreeMap<>();
  private final Set<String> leaving = new HashSet<>();

  /**
   * No nodes yet.
   *
   * @param folder for the folders of the nodes
   * @param server the log server for their events
   */
  public NodeProcesses(Path folder, URI server) {
    this.folder = folder;
    this.server = server;
  }

  /** Starts a node. One that has ended may start again, in the same folder. */
  public synchronized void start(String node, NodeProgram program)
      throws StageException, IOException {
    Path home = Files.createDirectories(folder.resolve(node));
    List<String> recorder = List.of("-Dretroscope.node=" + node, "-Dretroscope.server=" + server);
    ChildProcess process =
        new ChildProcess("node " + node, home, "node.out", program.command(recorder));
    processes.put(node, process);
    leaving.remove(node);
    process.start();
  }

  /**
   * The process of a node.
   *
   * @throws IllegalArgumentException if no node of this name was started
   */
  public synchronized ChildProcess process(String node) {
    ChildProcess process = processes.get(node);
    if (process == null) {
      throw new IllegalArgumentException("no such node: " + node);
    }
    return process;
  }

  /** A file in the folder of a node. */
  public Path file(String node, String name) {
    return folder.resolve(node).resolve(name);
  }

  /**
   * Waits for a file in the folder of a node.
   *
   * @throws StageException if a node ends, or the {@link Deadline#PATIENCE} is over, before that
   */
  public void awaitFile(String node, String name) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!Files.exists(file(node, name))) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "node %s has no file \"%s\" after %d s%s"
                .formatted(node, name, Deadline.PATIENCE.toSeconds(), process(node).complaint()));
      }
      Deadline.sleep(POLL);
    }
  }

  /** The end of this node is expected from now on: it is no failure. */
  public synchronized void expectEnd(String node) {
    leaving.add(node);
  }

  /**
   * Waits for the end of a node.
   *
   * @throws StageException if it still runs after the {@link Deadline#PATIENCE}
   */
  public void awaitEnd(String node) throws StageException, InterruptedException {
    if (!process(node).awaitEnd(Deadline.PATIENCE)) {
      throw new StageException(
          "node %s still runs after %d s".formatted(node, Deadline.PATIENCE.toSeconds()));
    }
  }

  /**
   * Checks that all nodes run, apart from those whose end is expected.
   *
   * @throws StageException if one ended, with its last complaint
   */
  public synchronized void checkRunning() throws StageException {
    for (Map.Entry<String, ChildProcess> node : processes.entrySet()) {
      if (!node.getValue().isRunning() && !leaving.contains(node.getKey())) {
        throw new StageException(
            "node %s ended%s".formatted(node.getKey(), node.getValue().complaint()));
      }
    }
  }

  @Override
  public synchronized void close() {
    processes.values().forEach(ChildProcess::close);
  }
}
