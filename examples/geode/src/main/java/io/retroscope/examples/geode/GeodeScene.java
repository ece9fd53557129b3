// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.examples.geode.GeodeCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
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

/** Three servers of Geode and a client, each a process. */
final class GeodeScene implements Scene {
  static final List<String> SERVERS = List.of("g1", "g2", "g3");

  /** The server to which the client is connected, which is also the locator. */
  static final String CONTACT = "g1";

  static final String CLIENT = "client";

  /** What Geode needs of a JDK of version 17. */
  private static final String[] OPENED = {
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
    "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-exports=java.management/com.sun.jmx.remote.security=ALL-UNNAMED",
  };

  private final Variant variant;
  private final NodeProcesses nodes;
  private final String locatorPort;
  private final String clientPort;

  private GeodeScene(Path folder, URI server, Variant variant) throws StageException {
    this.variant = variant;
    this.nodes = new NodeProcesses(folder, server);
    int[] ports = LoopbackPorts.take(2, new Random());
    this.locatorPort = Integer.toString(ports[0]);
    this.clientPort = Integer.toString(ports[1]);
  }

  static GeodeScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    GeodeScene scene = new GeodeScene(folder, server, variant);
    try {
      scene.startServer(CONTACT, ServerNode.WRITER, ServerNode.COUNTER);
      scene.nodes.awaitFile(CONTACT, ServerNode.READY_FILE);
      scene.startServer("g2", variant.twoWriters() ? ServerNode.WRITER : "reader");
      scene.startServer("g3", ServerNode.JOINER);
      scene.startClient();
      for (String member : SERVERS) {
        scene.nodes.awaitFile(member, ServerNode.READY_FILE);
      }
      scene.nodes.awaitFile(CLIENT, ClientNode.READY_FILE);
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private void startServer(String node, String... roles) throws StageException, IOException {
    List<String> args = new ArrayList<>(List.of(locatorPort, clientPort));
    args.addAll(List.of(roles));
    nodes.start(
        node,
        NodeProgram.of(variant.serverClass(), args.toArray(String[]::new))
            .withSkewMicros(-SERVERS.indexOf(node) * variant.behindMicros())
            .withJvmArgs(OPENED));
  }

  private void startClient() throws StageException, IOException {
    nodes.start(CLIENT, NodeProgram.of(ClientNode.class.getName(), clientPort).withJvmArgs(OPENED));
  }

  boolean hasTwoWriters() {
    return variant.twoWriters();
  }

  /** Makes the servers work, or not. */
  void work(boolean on) throws IOException {
    for (String server : SERVERS) {
      Path file = nodes.file(server, ServerNode.WORK_FILE);
      if (on) {
        Files.createFile(file);
      } else {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Makes the client send its messages, and waits until it has. */
  void send() throws StageException, IOException, InterruptedException {
    Files.createFile(nodes.file(CLIENT, ClientNode.SEND_FILE));
    nodes.awaitFile(CLIENT, ClientNode.TABLE_FILE);
  }

  /** What each server says of the stock. */
  Map<String, ServerAnswer> answers() throws StageException, IOException, InterruptedException {
    Map<String, ServerAnswer> answers = new TreeMap<>();
    for (String server : SERVERS) {
      Files.deleteIfExists(nodes.file(server, ServerNode.ANSWER_FILE));
      Files.createFile(nodes.file(server, ServerNode.ASK_FILE));
    }
    for (String server : SERVERS) {
      nodes.awaitFile(server, ServerNode.ANSWER_FILE);
      Path file = nodes.file(server, ServerNode.ANSWER_FILE);
      answers.put(server, ServerAnswer.parse(Files.readString(file)));
    }
    return answers;
  }

  @Override
  public List<String> nodes() {
    return List.of(CLIENT, "g1", "g2", "g3");
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "g1, g2, g3  one cluster of Apache Geode, with a locator on port " + locatorPort,
        variant.twoWriters()
            ? "            g1 and g2 write the same entry at the same ticks; g3 joins a region"
                + " again and again"
            : "            only g1 writes; g3 joins a region again and again",
        "client      sends %d messages of each size in %d ways at the end"
            .formatted(ClientNode.MESSAGE_COUNT, Pattern.values().length));
  }

  @Override
  public Work begin() throws StageException {
    return GeodeWork.begin(this);
  }

  @Override
  public void checkRunning() throws StageException {
    nodes.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    try {
      String ranking = Files.readString(nodes.file(CLIENT, ClientNode.TABLE_FILE)).stripTrailing();
      return new GeodeOracle(history, answers(), variant.twoWriters())
          .checks(ranking.substring(ranking.lastIndexOf('\n') + 1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while waiting for the servers' answers", e);
    }
  }

  /** Leaves the table of the patterns. */
  @Override
  public void leave(Path outFolder) throws IOException {
    Files.copy(
        nodes.file(CLIENT, ClientNode.TABLE_FILE),
        outFolder.resolve("geode-patterns.txt"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void close() {
    nodes.close();
  }
}
